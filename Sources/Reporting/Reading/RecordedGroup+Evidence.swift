import ATSPolicy
public import Diagnosis
import Records

extension EvidenceGroup {
    /// - Returns: nil if a later version made the record, or the release is unknown.
    public init?(_ group: RecordedGroup) {
        let record = group.first.record
        let evidence = LoadEvidence(
            record, handshake: group.first.handshake, rule: group.rule, milliseconds: group.earliest)
        guard let evidence, let profile = OSProfile.named(record.policy.os) else { return nil }
        self.init(
            evidence, on: profile, url: record.load.url, handshake: group.first.handshakeID, loads: group.loads)
    }
}
