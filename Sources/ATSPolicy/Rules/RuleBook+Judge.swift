extension RuleBook {
    /// Judges a handshake that finished.
    public func judge(_ handshake: HandshakeCase) -> HandshakeVerdict {
        let findings = findings(on: handshake)
        guard let decisive = findings.first?.rule else { return .pass }
        return HandshakeVerdict(
            findings: findings, failure: failure(for: decisive, in: handshake),
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
        var server = broken.serverSentences
        if let diagnosis, let writer {
            server.append(
                "Offered everything, it chose TLS \(diagnosis.facts.version.name) with \(diagnosis.facts.suite.name).")
            server += writer.serverSentences(for: shown)
        }
        return HandshakeVerdict(
            findings: [finding] + shown,
            failure: .handshake(failure, rule: finding.rule.isHandshakeParameter ? finding.rule : nil),
            remedy: Remedy(server: server))
    }

    /// What the device would meet on an origin like this. It would have offered less than what was agreed here, so
    /// an origin of the wrong version answers below the offer, and one without a common suite sends alert 40 (6.7).
    private func failure(for rule: RuleID, in handshake: HandshakeCase) -> LoadFailure {
        switch rule {
        case .tlsVersion, .osTLSFloor: .handshake(.versionNotOffered, rule: rule)
        case .forwardSecrecy, .cipherSuite: .handshake(.alertReceived(Self.handshakeFailureAlert), rule: rule)
        // Apple publishes no number for it. What the origin agreed to on the device's own offer, the device finds out
        // by itself; the nearest is that of a protocol error (1.7 `[I]`).
        case .niap: .handshake(.library(0), rule: rule)
        // No delegate lets a load go on past a pin (1.6 `[D]`).
        case .pinnedIdentity: .trust(rule, isStrict: true)
        default: .trust(rule, isStrict: handshake.demands?.strictTrust ?? false)
        }
    }

    /// RFC 8446 section 6.
    private static let handshakeFailureAlert: UInt8 = 40
}

extension RuleBook {
    /// Judges an origin that could not be reached.
    public func judge(_ failure: NetworkFailure, target: LoadTarget) -> HandshakeVerdict {
        let (rule, title, expected, observed) = Self.words(for: failure, target)
        let finding = Finding(
            rule: rule, title: title, keyPath: nil, expected: expected, observed: observed, confidence: .observed,
            source: "ats-semantics.md 6.1")
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
                "\(target.host) could not be resolved (resolver code \(code))"
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
        case .reset(let errno):
            (
                .netReset, "Connection lost", "a connection to \(place)",
                "\(place) was reset or unreachable (errno \(errno))"
            )
        case .parent(let parent, let trouble):
            (
                .netParent, "Parent proxy", "a way to \(place) through the parent proxy \(parent)",
                "the parent proxy \(parent) \(trouble.words)"
            )
        }
    }

    /// Words a denial: ATS keeps a cleartext load from leaving.
    public func judge(_ denial: Denial, profile: OSProfile) -> HandshakeVerdict {
        judgeCleartext(to: denial.target, basis: denial.basis, profile: profile)
    }

    /// The verdict on a denied cleartext load. Source: `ats-semantics.md` 2.1 `[S]`.
    ///
    /// - Parameter basis: the ruling that denied it.
    public func judgeCleartext(to target: LoadTarget, basis: RulingBasis, profile: OSProfile) -> HandshakeVerdict {
        let isHelped = ExceptionPath.exists(for: target.host, on: profile)
        let key = isHelped ? ExceptionPath.keyPath(ATSKey.insecureHTTP, host: target.host, basis: basis) : nil
        let finding = Finding(
            rule: .cleartextLoad, title: "Cleartext HTTP load", keyPath: basis.keyPath ?? key,
            expected: isHelped ? "https, or an exception for \(target.host)" : "https",
            observed: "\(target.origin) is cleartext",
            confidence: basis.confidence,
            source: "Apple, NSAppTransportSecurity; ats-semantics.md 2.1, as on \(profile.title)")
        return HandshakeVerdict(
            findings: [finding], failure: .cleartext,
            remedy: RemedyWriter.cleartext(to: target, basis: basis, profile: profile))
    }
}
