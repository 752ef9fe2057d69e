import ATSPolicy

/// All that the form of a record is made of: what its fields' ``SharedRoot`` have, and nothing else of it. References are
/// held, so that no other object can get their identity meanwhile.
public struct SharedPart: Sendable {
    /// Without what is a load's own.
    let record: LoadRecord

    package init(of record: LoadRecord) {
        var kept = record
        // What takes room and is in no form.
        kept.diagnosis = nil
        kept.device = nil
        kept.candidates = []
        kept.removed = []
        kept.masked = []
        self.record = kept
    }
}

extension SharedPart {
    /// nil where nothing was seen of a handshake.
    var handshake: RecordedHandshake? {
        guard let handshake = record.origin?.handshake, !handshake.isEmpty else { return nil }
        return handshake
    }

    /// Of the origin, which nobody else may hold any more, about.
    var bytes: Int { (record.origin?.bytes ?? 0) + 256 }

    /// References are compared by identity.
    @inline(__always)
    func isShared(by other: LoadRecord) -> Bool {
        RecordFields.catalog.comparison.isSame.holds(record, other)
    }

    /// The same, with what connections have of their own compared by what they say.
    func isAlike(_ other: LoadRecord) -> Bool {
        RecordFields.catalog.comparison.isAlike.holds(record, other)
    }

    /// Tells most parts apart.
    static func mark(of record: LoadRecord) -> Int {
        Int((RecordFields.catalog.comparison.mark.value(record) &* 0x9E37_79B9_7F4A_7C15) >> 40)
    }
}

/// Parts are the same where they make the same form.
extension SharedPart: Hashable {
    public static func == (one: Self, other: Self) -> Bool { one.isAlike(other.record) }

    /// Of some of it: what differs mostly.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(record.load.target.host)
        hasher.combine(record.client.userAgent)
        hasher.combine(record.verdict)
    }
}
