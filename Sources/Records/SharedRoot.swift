import ATSPolicy

/// A value that all loads of one form have in common. Every value in a form comes from a root, and a form is found by
/// the roots of its fields. Each field names its own root, so there is no separate list that could miss one.
package struct SharedRoot<Value: Sendable>: Sendable {
    let value: @Sendable (LoadRecord) -> Value
    let comparison: RootComparison
}

/// A comparison of two records. A bare closure would be wrapped again by each list that contains it.
package struct RecordTest: Sendable {
    package let holds: @Sendable (LoadRecord, LoadRecord) -> Bool
}

extension RecordTest {
    /// True if all tests hold. Folded into one closure: calling a captured closure counts no references, but calling an
    /// array's elements does.
    init(all tests: [RecordTest]) {
        guard let first = tests.first else {
            self.init { _, _ in true }
            return
        }
        self = tests.dropFirst().reduce(first) { before, next in
            RecordTest { before.holds($0, $1) && next.holds($0, $1) }
        }
    }
}

/// The address of something that a record holds.
struct RecordMark: Sendable {
    let value: @Sendable (LoadRecord) -> UInt
}

/// The declaration of a root in the source, which identifies it.
struct RootDeclaration: Sendable, Hashable {
    let file: String
    let line: Int
}

/// How one root compares two records.
struct RootComparison: Sendable {
    let place: RootDeclaration
    /// Compares addresses if the value is a reference.
    let isSame: RecordTest
    /// Compares by content; nil if the fields of the root must be compared instead.
    let isAlike: RecordTest?
    /// Address of the reference; nil for other values.
    let address: RecordMark?
}

extension SharedRoot {
    package static func value(
        file: String = #fileID, line: Int = #line, _ value: @escaping @Sendable (LoadRecord) -> Value
    ) -> SharedRoot where Value: Equatable {
        SharedRoot(
            value: value,
            comparison: RootComparison(
                place: RootDeclaration(file: file, line: line), isSame: RecordTest { value($0) == value($1) },
                isAlike: RecordTest { value($0) == value($1) }, address: nil))
    }

    /// A part of the record that many records hold. Two parts that are alike make one form.
    ///
    /// - Parameter isAlike: nil to compare the fields in the part.
    static func part<Part: AnyObject>(
        file: String = #fileID, line: Int = #line, _ value: @escaping @Sendable (LoadRecord) -> Value,
        isAlike: (@Sendable (Value, Value) -> Bool)?
    ) -> SharedRoot where Value == Part? {
        let alike = isAlike.map { test in RecordTest { test(value($0), value($1)) } }
        return SharedRoot(
            value: value,
            comparison: RootComparison(
                place: RootDeclaration(file: file, line: line), isSame: RecordTest { value($0) === value($1) },
                isAlike: alike, address: RecordMark { value($0).map { UInt(bitPattern: ObjectIdentifier($0)) } ?? 0 }))
    }

    /// A part that every record has.
    static func part(
        file: String = #fileID, line: Int = #line, _ value: @escaping @Sendable (LoadRecord) -> Value,
        isAlike: (@Sendable (Value, Value) -> Bool)?
    ) -> SharedRoot where Value: AnyObject {
        let alike = isAlike.map { test in RecordTest { test(value($0), value($1)) } }
        return SharedRoot(
            value: value,
            comparison: RootComparison(
                place: RootDeclaration(file: file, line: line), isSame: RecordTest { value($0) === value($1) },
                isAlike: alike, address: RecordMark { UInt(bitPattern: ObjectIdentifier(value($0))) }))
    }
}

/// The root of a field.
struct FieldSharing: Sendable {
    let root: RootComparison
    /// Compares the field's value in two records; nil if comparing the root is enough.
    let isAlike: RecordTest?
}

/// The comparison of records by the roots of all fields of a list.
package struct FormComparison: Sendable {
    let isSame: RecordTest
    package let isAlike: RecordTest
    /// A hash of the references' addresses.
    let mark: RecordMark

    init(_ sharing: [FieldSharing]) {
        var roots: [RootComparison] = []
        for root in sharing.map(\.root) where !roots.contains(where: { $0.place == root.place }) { roots.append(root) }
        // References first: they distinguish most forms, at the lowest cost.
        roots = roots.filter { $0.address != nil } + roots.filter { $0.address == nil }
        isSame = RecordTest(all: roots.map(\.isSame))
        isAlike = RecordTest(
            all: roots.map { root in
                let fields = RecordTest(all: sharing.filter { $0.root.place == root.place }.compactMap(\.isAlike))
                let test = root.isAlike ?? fields
                return RecordTest { root.isSame.holds($0, $1) || test.holds($0, $1) }
            })
        mark = roots.compactMap(\.address).reduce(RecordMark { _ in 0 }) { before, address in
            RecordMark { before.value($0) &* 31 &+ address.value($0) }
        }
    }
}

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
