extension RuleID {
    public static let cleartextLoad = RuleID("ats.cleartext-load", .ats)
}

/// The one rule that needs no handshake: the judge denies before anything is dialed.
extension RuleBook {
    /// Words a denial: ATS keeps a cleartext load from leaving.
    public func judge(_ denial: Denial, profile: OSProfile) -> HandshakeVerdict {
        judgeCleartext(to: denial.target, basis: denial.basis, profile: profile)
    }

    /// The verdict on a denied cleartext load. Source: Security, SecProtocolConfiguration.m;
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
