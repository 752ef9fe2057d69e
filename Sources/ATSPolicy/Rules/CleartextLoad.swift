extension RuleID {
    public static let cleartextLoad = RuleID("ats.cleartext-load", .ats)
}

/// The only rule without a handshake: the judge denies the load before the gate dials.
extension RuleBook {
    /// Returns the verdict on a cleartext load that ATS blocks.
    public func judge(_ denial: Denial, profile: OSProfile) -> HandshakeVerdict {
        judgeCleartext(to: denial.target, basis: denial.basis, profile: profile)
    }

    /// Returns the verdict on a denied cleartext load. Source: Security, SecProtocolConfiguration.m;
    /// docs/law/rulings.md#order-of-decisions.
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
            source: "Apple, NSAppTransportSecurity; docs/law/rulings.md#cleartext")
        return HandshakeVerdict(
            findings: [finding], failure: .cleartext,
            remedy: RemedyWriter.cleartext(to: target, basis: basis, profile: profile))
    }
}
