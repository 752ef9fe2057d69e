import ATSPolicy

/// All that the form of a record is made of: what its fields' ``SharedRoot`` have, and nothing else of it. References are
/// held, so that no other object can get their identity meanwhile.
// Unchecked: a pointer is not Sendable. What it leads to is a Sendable value, written in `init` and only read until `deinit`.
public final class SharedPart: @unchecked Sendable {
    /// Without what is a load's own.
    let record: UnsafePointer<LoadRecord>

    package init(of record: LoadRecord) {
        var kept = record
        kept.forgetOwn()
        let place = UnsafeMutablePointer<LoadRecord>.allocate(capacity: 1)
        place.initialize(to: kept)
        self.record = UnsafePointer(place)
    }

    deinit {
        let place = UnsafeMutablePointer(mutating: record)
        place.deinitialize(count: 1)
        place.deallocate()
    }
}

extension SharedPart {
    /// nil where nothing was seen of a handshake.
    var handshake: RecordedHandshake? {
        guard let handshake = record.pointee.origin?.handshake, !handshake.isEmpty else { return nil }
        return handshake
    }

    /// Of the origin, which nobody else may hold any more, about.
    var bytes: Int { (record.pointee.origin?.bytes ?? 0) + 256 }

    /// References are compared by identity, and `other` is looked at where it is: making a part of it costs more than that.
    @inline(__always)
    func isShared(by other: UnsafePointer<LoadRecord>) -> Bool {
        RecordFields.catalog.comparison.isSame(record, other)
    }

    /// The same, with what connections have of their own compared by what they say.
    func isAlike(_ other: UnsafePointer<LoadRecord>) -> Bool {
        RecordFields.catalog.comparison.isAlike(record, other)
    }

    /// Tells most parts apart.
    static func mark(of record: UnsafePointer<LoadRecord>) -> Int {
        Int((RecordFields.catalog.comparison.mark(record) &* 0x9E37_79B9_7F4A_7C15) >> 40)
    }
}

extension LoadRecord {
    /// What takes room and is in no form.
    fileprivate mutating func forgetOwn() {
        diagnosis = nil
        device = nil
        candidates = []
        removed = []
        masked = []
    }
}

/// A part with what connections have of their own compared by what they say.
struct EqualPart: Hashable {
    let part: SharedPart

    static func == (one: Self, other: Self) -> Bool {
        one.part.isAlike(other.part.record)
    }

    /// Of some of it: what differs mostly.
    func hash(into hasher: inout Hasher) {
        let record = part.record
        hasher.combine(ObjectIdentifier(record.pointee.policy))
        hasher.combine(record.pointee.load.target.host)
        hasher.combine(record.pointee.client.userAgent)
        hasher.combine(record.pointee.verdict)
    }
}
