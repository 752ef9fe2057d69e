import ATSPolicy

/// Something that all loads of one form have in common. A form can say nothing but what comes from a root, and it is found
/// again by the roots of its fields: each field names its own, so there is no list of them that could lack one.
package struct SharedRoot<Value: Sendable>: Sendable {
    let value: @Sendable (LoadRecord) -> Value
    let comparison: RootComparison
}

/// Whether something of two records is the same. A bare closure would be wrapped anew by each list that it comes from.
package struct RecordTest: Sendable {
    package let holds: @Sendable (LoadRecord, LoadRecord) -> Bool
}

extension RecordTest {
    /// Whether all hold. Folded, because calling what a closure has captured counts no references, as calling elements of
    /// an array would.
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

/// Where a root is declared: what tells it from all others, so that none can take the place of another.
struct RootPlace: Sendable, Hashable {
    let file: String
    let line: Int
}

/// How two records are compared by one root.
struct RootComparison: Sendable {
    let place: RootPlace
    /// At the cost of a comparison of addresses, where it is a reference.
    let isSame: RecordTest
    /// Whether it says the same in both; nil where its fields are to be asked.
    let isAlike: RecordTest?
    /// Of a reference; nil for what is none.
    let address: RecordMark?
}

extension SharedRoot {
    package static func value(
        file: String = #fileID, line: Int = #line, _ value: @escaping @Sendable (LoadRecord) -> Value
    ) -> SharedRoot where Value: Equatable {
        SharedRoot(
            value: value,
            comparison: RootComparison(
                place: RootPlace(file: file, line: line), isSame: RecordTest { value($0) == value($1) },
                isAlike: RecordTest { value($0) == value($1) }, address: nil))
    }

    /// A part of the record that many records hold. Two that are alike make one form.
    ///
    /// - Parameter isAlike: nil asks the fields that are made of it.
    static func part<Part: AnyObject>(
        file: String = #fileID, line: Int = #line, _ value: @escaping @Sendable (LoadRecord) -> Value,
        isAlike: (@Sendable (Value, Value) -> Bool)?
    ) -> SharedRoot where Value == Part? {
        let alike = isAlike.map { test in RecordTest { test(value($0), value($1)) } }
        return SharedRoot(
            value: value,
            comparison: RootComparison(
                place: RootPlace(file: file, line: line), isSame: RecordTest { value($0) === value($1) },
                isAlike: alike, address: RecordMark { value($0).map { UInt(bitPattern: ObjectIdentifier($0)) } ?? 0 }))
    }

    /// The same for one that every record has.
    static func part(
        file: String = #fileID, line: Int = #line, _ value: @escaping @Sendable (LoadRecord) -> Value,
        isAlike: (@Sendable (Value, Value) -> Bool)?
    ) -> SharedRoot where Value: AnyObject {
        let alike = isAlike.map { test in RecordTest { test(value($0), value($1)) } }
        return SharedRoot(
            value: value,
            comparison: RootComparison(
                place: RootPlace(file: file, line: line), isSame: RecordTest { value($0) === value($1) },
                isAlike: alike, address: RecordMark { UInt(bitPattern: ObjectIdentifier(value($0))) }))
    }
}

/// That a field is made of a root.
struct FieldSharing: Sendable {
    let root: RootComparison
    /// Whether the field says the same in both; nil where the root knows.
    let isAlike: RecordTest?
}

/// How records are compared by all roots of a list's fields.
package struct FormComparison: Sendable {
    let isSame: RecordTest
    package let isAlike: RecordTest
    /// Addresses of the references, stirred.
    let mark: RecordMark

    init(_ sharing: [FieldSharing]) {
        var roots: [RootComparison] = []
        for root in sharing.map(\.root) where !roots.contains(where: { $0.place == root.place }) { roots.append(root) }
        // References first: they tell most forms apart, at the least cost.
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
