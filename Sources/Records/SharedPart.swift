import ATSPolicy

/// All sources of a record's form: the values of its fields' ``SharedRoot``, and nothing else. References are retained,
/// so that no other object can get their identity in the meantime.
public struct SharedPart: Sendable {
    /// The record without the values that differ with each load.
    let record: LoadRecord

    package init(of record: LoadRecord) {
        var kept = record
        // Large values that are in no form.
        kept.diagnosis = nil
        kept.device = nil
        kept.removed = []
        kept.masked = []
        self.record = kept
    }
}

extension SharedPart {
    /// nil if nothing was seen of a handshake.
    var handshake: RecordedHandshake? {
        guard let handshake = record.origin?.handshake, !handshake.isEmpty else { return nil }
        return handshake
    }

    /// Approximate size with the origin, which may no longer have another owner.
    var bytes: Int { (record.origin?.bytes ?? 0) + 256 }

    /// Compares references by identity.
    @inline(__always)
    func isShared(by other: LoadRecord) -> Bool {
        RecordFields.catalog.comparison.isSame.holds(record, other)
    }

    /// Compares the parts that each connection has for itself by content, and the others by identity.
    func isAlike(_ other: LoadRecord) -> Bool {
        RecordFields.catalog.comparison.isAlike.holds(record, other)
    }

    /// A hash that distinguishes most parts.
    static func mark(of record: LoadRecord) -> Int {
        Int((RecordFields.catalog.comparison.mark.value(record) &* 0x9E37_79B9_7F4A_7C15) >> 40)
    }
}

/// Parts are equal if they make the same form.
extension SharedPart: Hashable {
    public static func == (one: Self, other: Self) -> Bool { one.isAlike(other.record) }

    /// Hashes only the values that usually differ.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(record.load.target.host)
        hasher.combine(record.client.userAgent)
        hasher.combine(record.verdict)
    }
}
