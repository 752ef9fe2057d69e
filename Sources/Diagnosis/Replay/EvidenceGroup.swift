public import ATSPolicy
public import Records

/// Equal recorded loads, ready to be judged again: the input of replay, suggestions and the use of keys.
public struct EvidenceGroup: Sendable {
    public let evidence: LoadEvidence
    /// The release to judge by; initially the one that the loads were judged by.
    public var profile: OSProfile
    /// The URL of the first load, as it was recorded.
    public let url: String
    /// A number that only loads of the same handshake share; nil without a handshake or a number.
    public let handshake: Int64?
    public var loads: Int

    public init(_ evidence: LoadEvidence, on profile: OSProfile, url: String, handshake: Int64?, loads: Int) {
        self.evidence = evidence
        self.profile = profile
        self.url = url
        self.handshake = handshake
        self.loads = loads
    }

    /// Loads like `record`.
    ///
    /// - Returns: nil for an unknown release.
    public init?(_ record: LoadRecord, handshake: Int64? = nil, loads: Int = 1) {
        guard let profile = OSProfile.named(record.policy.os) else { return nil }
        self.init(LoadEvidence(record), on: profile, url: record.load.url, handshake: handshake, loads: loads)
    }

    /// The key for remembered verdicts: loads with the same key end the same way under every dictionary.
    struct Key: Hashable {
        let profile: OSProfile
        let target: LoadTarget
        let loader: Loader
        let verdict: Verdict
        let rule: RuleID?
        let handshake: Int64?
        let isLogged: Bool
    }

    /// nil if handshakes cannot be told apart; such loads are judged one by one.
    var key: Key? {
        guard handshake != nil || evidence.handshake == nil else { return nil }
        return Key(
            profile: profile, target: evidence.target, loader: evidence.loader, verdict: evidence.verdict,
            rule: evidence.rule, handshake: handshake, isLogged: evidence.isLogged)
    }
}
