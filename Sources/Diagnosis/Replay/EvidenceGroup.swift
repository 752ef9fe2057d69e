public import ATSPolicy
public import Records

/// Recorded loads that are alike, ready to be judged again: what replay, suggestions and the use of keys take in.
public struct EvidenceGroup: Sendable {
    public let evidence: LoadEvidence
    /// The system to judge by; at first the one that the loads were judged by.
    public var profile: OSProfile
    /// Of the first of them, as it was recorded.
    public let url: String
    /// A number that only loads of the same handshake have; nil where there was none, or nobody numbered it.
    public let handshake: Int64?
    public var loads: Int

    public init(_ evidence: LoadEvidence, on profile: OSProfile, url: String, handshake: Int64?, loads: Int) {
        self.evidence = evidence
        self.profile = profile
        self.url = url
        self.handshake = handshake
        self.loads = loads
    }

    /// One load that is about to be filed.
    ///
    /// - Returns: nil for an unknown system.
    public init?(_ record: LoadRecord) {
        guard let profile = OSProfile.named(record.policy.os) else { return nil }
        self.init(LoadEvidence(record), on: profile, url: record.load.url, handshake: nil, loads: 1)
    }

    /// What a verdict is remembered by: loads with the same key end in the same way under every law.
    struct Key: Hashable {
        let profile: OSProfile
        let target: LoadTarget
        let loader: Loader
        let verdict: Verdict
        let rule: RuleID?
        let handshake: Int64?
        let isLogged: Bool
    }

    /// nil where nobody can tell one handshake from another: such loads are judged one by one.
    var key: Key? {
        guard handshake != nil || evidence.handshake == nil && !evidence.lacksHandshake else { return nil }
        return Key(
            profile: profile, target: evidence.target, loader: evidence.loader, verdict: evidence.verdict,
            rule: evidence.rule, handshake: handshake, isLogged: evidence.isLogged)
    }
}
