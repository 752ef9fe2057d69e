import Text

extension RuleBook {
    /// Judges a finished handshake.
    public func judge(_ handshake: HandshakeCase) -> HandshakeVerdict {
        let findings = findings(on: handshake)
        guard let decisive = findings.first?.rule, let rule = rule(decisive) else {
            let warnings = warnings(on: handshake)
            return warnings.isEmpty ? .pass : HandshakeVerdict(findings: warnings, failure: nil, remedy: nil)
        }
        return HandshakeVerdict(
            findings: findings, failure: rule.consequence.failure(of: decisive, in: handshake),
            remedy: RemedyWriter(handshake).remedy(for: findings))
    }

    /// Judges a broken handshake.
    ///
    /// - Parameter diagnosis: the facts of a second handshake with ``TLSOffer/diagnostic``, with the same rules to
    ///   judge them by; nil if it broke, too, or was not tried.
    public func judge(
        _ failure: HandshakeFailure, diagnosis: HandshakeCase?, target: LoadTarget, basis: RulingBasis,
        demands: TLSDemands?, offer: TLSOffer, profile: OSProfile
    ) -> HandshakeVerdict {
        let failure = demands?.minimumTLS ?? .tls10 > profile.newestTLS ? .nothingToOffer : failure
        let broken = BrokenHandshake(
            failure: failure, target: target, basis: basis, demands: demands, offer: offer, profile: profile)
        let shown = diagnosis.map { findings(on: $0) } ?? []
        let writer = diagnosis.map { RemedyWriter($0) }
        if let diagnosis, diagnosis.facts.groupLeftOut != nil { return judge(broken, accepting: diagnosis) }
        if let decisive = shown.first?.rule, decisive.isHandshakeParameter {
            return HandshakeVerdict(
                findings: shown, failure: .handshake(failure, rule: decisive), remedy: writer?.remedy(for: shown))
        }
        // The negotiated parameters break no rule, so the handshake broke for another reason. The certificate may still
        // be bad.
        let finding = broken.finding
        var advice = broken.advice
        if let diagnosis, let writer {
            let (version, suite) = (diagnosis.facts.version.name, diagnosis.facts.suite.name)
            advice.append(.server("When offered everything, the server chose TLS \(version) with \(suite)."))
            advice += broken.unoffered(in: diagnosis.facts) + writer.serverAdvice(for: shown)
        }
        // A device may read chains that the gate does not.
        let isGateFailure = failure == .chainTooLarge
        return HandshakeVerdict(
            findings: [finding] + shown,
            failure: isGateFailure
                ? nil : .handshake(failure, rule: finding.rule.isHandshakeParameter ? finding.rule : nil),
            remedy: Remedy(advice))
    }

    /// Judges an origin that failed the hello with the hybrid group, and accepted the same hello without it. Facts of the
    /// second handshake are those of the origin, so its other faults count, too.
    ///
    /// A device that repeats the handshake without the group loads from it (``OSProfile/retriesWithoutHybridGroup``).
    private func judge(_ broken: BrokenHandshake, accepting facts: HandshakeCase) -> HandshakeVerdict {
        let verdict = judge(facts)
        let findings = [broken.largeHello(facts.facts)] + verdict.findings
        if broken.profile.retriesWithoutHybridGroup {
            return HandshakeVerdict(
                findings: verdict.failure == nil ? findings : verdict.findings, failure: verdict.failure,
                remedy: verdict.remedy)
        }
        let advice = BrokenHandshake.largeHelloAdvice + (verdict.remedy?.advice.filter(\.isForServer) ?? [])
        return HandshakeVerdict(
            findings: findings, failure: .handshake(broken.failure, rule: nil), remedy: Remedy(advice))
    }
}

extension RuleBook {
    /// Judges a failure to reach an origin.
    public func judge(_ failure: NetworkFailure, target: LoadTarget) -> HandshakeVerdict {
        let (rule, title, expected, observed) = Self.words(for: failure, target)
        let finding = Finding(
            rule: rule, title: title, keyPath: nil, expected: expected, observed: observed, confidence: .observed,
            source: "Apple, NSURLErrorDomain; docs/law/errors.md#codes")
        // A device has no error for failures of the gate or its parent proxy.
        let shown = failure.isGateFailure ? nil : LoadFailure.network(failure)
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
                .gateDescriptors, "Gate out of file descriptors", "a file descriptor for \(place)",
                "the gate reached its limit of open files: raise it (ulimit -n)"
            )
        case .ownAddress:
            (.gateLoop, "Load to the gate itself", "a load to a server", "\(place) is this gate's own address")
        case .forbidden:
            (
                .gateForbidden, "Address of the gate's machine", "a server that clients on other machines may reach",
                "\(place) is the gate's own machine, or link-local to it; --allow-lan-to-host allows it"
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
        case .decrypted(let proxy):
            (.netDecrypted, proxy.finding.title, proxy.finding.expected, proxy.finding.observed)
        }
    }
}
