import ATSPolicy
import Records
import Reporting

/// Recorded loads that are alike, ready to be judged again.
struct RecordedEvidence: Sendable {
    let evidence: LoadEvidence
    /// What they were judged by.
    let profile: OSProfile
    /// Of the first of them.
    let url: String
    /// nil where nothing tells one handshake from another.
    let handshake: Int64?
    let loads: Int

    /// nil for what a later version recorded.
    init?(_ group: RecordedGroup) {
        let record = group.first.record
        let evidence = LoadEvidence(
            record, handshake: group.first.handshake, rule: group.rule, milliseconds: group.earliest)
        guard let evidence, let profile = OSProfile.named(record.policy.os) else { return nil }
        self.evidence = evidence
        self.profile = profile
        url = record.load.url
        handshake = group.first.handshakeID
        loads = group.loads
    }

    /// nil for an unknown system.
    init?(_ record: LoadRecord) {
        guard let profile = OSProfile.named(record.policy.os) else { return nil }
        evidence = LoadEvidence(record)
        self.profile = profile
        url = record.load.url
        handshake = nil
        loads = 1
    }
}
