import Text

extension RuleBook {
    /// Judges a handshake that finished.
    public func judge(_ handshake: HandshakeCase) -> HandshakeVerdict {
        let findings = findings(on: handshake)
        guard let decisive = findings.first?.rule, let rule = rule(decisive) else { return .pass }
        return HandshakeVerdict(
            findings: findings, failure: rule.consequence.failure(of: decisive, in: handshake),
            remedy: RemedyWriter(handshake).remedy(for: findings))
    }

    /// Judges a handshake that broke.
    ///
    /// - Parameter diagnosis: what a second handshake with ``TLSOffer/diagnostic`` showed, held against the same law;
    ///   nil when that broke, too, or was not tried.
    public func judge(
        _ failure: HandshakeFailure, diagnosis: HandshakeCase?, target: LoadTarget, basis: RulingBasis,
        demands: TLSDemands?, offer: TLSOffer, profile: OSProfile
    ) -> HandshakeVerdict {
        let broken = BrokenHandshake(
            failure: failure, target: target, basis: basis, demands: demands, offer: offer, profile: profile)
        let shown = diagnosis.map { findings(on: $0) } ?? []
        let writer = diagnosis.map { RemedyWriter($0) }
        if let decisive = shown.first?.rule, decisive.isHandshakeParameter {
            return HandshakeVerdict(
                findings: shown, failure: .handshake(failure, rule: decisive), remedy: writer?.remedy(for: shown))
        }
        // What was negotiated is fine by the law, so the break has another reason; the certificate may still be bad.
        let finding = broken.finding
        var advice = broken.advice
        if let diagnosis, let writer {
            let (version, suite) = (diagnosis.facts.version.name, diagnosis.facts.suite.name)
            advice.append(.server("Offered everything, it chose TLS \(version) with \(suite)."))
            advice += writer.serverAdvice(for: shown)
        }
        // What the gate does not read, a device may.
        let isOurOwn = failure == .chainTooLarge
        return HandshakeVerdict(
            findings: [finding] + shown,
            failure: isOurOwn
                ? nil : .handshake(failure, rule: finding.rule.isHandshakeParameter ? finding.rule : nil),
            remedy: Remedy(advice))
    }
}

extension RuleBook {
    /// Judges an origin that could not be reached.
    public func judge(_ failure: NetworkFailure, target: LoadTarget) -> HandshakeVerdict {
        let (rule, title, expected, observed) = Self.words(for: failure, target)
        let finding = Finding(
            rule: rule, title: title, keyPath: nil, expected: expected, observed: observed, confidence: .observed,
            source: "Apple, NSURLErrorDomain; docs/law/errors.md#codes")
        // What the gate lacks, or what stands behind it, a device has no words for.
        let shown = failure.isOurOwn ? nil : LoadFailure.network(failure)
        return HandshakeVerdict(findings: [finding], failure: shown, remedy: nil)
    }

    private static func words(
        for failure: NetworkFailure, _ target: LoadTarget
    ) -> (RuleID, title: String, expected: String, observed: String) {
        let place = "\(target.host), port \(target.port)"
        return switch failure {
        case .name(let code):
            (
                .netName, "Host name without an address", "an address for \(target.host)",
                "\(target.host) could not be resolved: \(SystemWords.resolver(code))"
            )
        case .refused:
            (.netRefused, "Connection refused", "a connection to \(place)", "\(place) refused the connection")
        case .timeout:
            (.netTimeout, "Connection timed out", "a connection to \(place)", "\(place) did not answer in time")
        case .noDescriptors:
            (
                .gateDescriptors, "Gate out of descriptors", "a descriptor for \(place)",
                "the gate may open no more files: raise its descriptor limit (ulimit -n)"
            )
        case .ownAddress:
            (.gateLoop, "Load asks for the gate itself", "a load to an origin", "\(place) is this gate's own address")
        case .forbidden:
            (
                .gateForbidden, "Address of the gate's machine", "an origin that clients of other machines may reach",
                "\(place) is the machine of the gate, or only on its link; --allow-lan-to-host lets it through"
            )
        case .reset(let errno):
            (
                .netReset, "Connection lost", "a connection to \(place)",
                "\(place) was reset or unreachable: \(SystemWords.error(errno))\(LocalNetworkPrivacy.hint(errno: errno))"
            )
        case .parent(let parent, let trouble):
            (
                .netParent, "Parent proxy", "a way to \(place) through the parent proxy \(parent)",
                "the parent proxy \(parent) \(trouble.words)"
            )
        }
    }
}
