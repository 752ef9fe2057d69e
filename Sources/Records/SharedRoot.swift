import ATSPolicy

/// Something that all loads of one form have in common. A form can say nothing but what comes from a root, and it is found
/// again by the roots of its fields: each field names its own, so there is no list of them that could lack one.
package struct SharedRoot<Value: Sendable>: Sendable {
    let value: @Sendable (LoadRecord) -> Value
    let comparison: RootComparison
}

/// How two records are compared by one root.
struct RootComparison: Sendable {
    typealias Test = @Sendable (LoadRecord, LoadRecord) -> Bool
    typealias Address = @Sendable (LoadRecord) -> UInt

    let name: String
    /// At the cost of a comparison of addresses, where it is a reference.
    let isSame: Test
    /// Whether it says the same in both; nil where its fields are to be asked.
    let isAlike: Test?
    /// Of a reference; nil for what is none.
    let address: Address?
}

extension SharedRoot {
    /// - Parameter name: no other root has it.
    package static func value(
        _ name: String, _ value: @escaping @Sendable (LoadRecord) -> Value
    ) -> SharedRoot where Value: Equatable {
        SharedRoot(
            value: value,
            comparison: RootComparison(
                name: name, isSame: { value($0) == value($1) }, isAlike: { value($0) == value($1) }, address: nil))
    }

    /// A part of the record that many records hold. Two that are alike make one form.
    ///
    /// - Parameter isAlike: nil asks the fields that are made of it.
    static func part<Part: AnyObject>(
        _ name: String, _ value: @escaping @Sendable (LoadRecord) -> Value,
        isAlike: (@Sendable (Value, Value) -> Bool)?
    ) -> SharedRoot where Value == Part? {
        let alike = isAlike.map { test -> RootComparison.Test in { test(value($0), value($1)) } }
        return SharedRoot(
            value: value,
            comparison: RootComparison(
                name: name, isSame: { value($0) === value($1) }, isAlike: alike,
                address: { value($0).map { UInt(bitPattern: ObjectIdentifier($0)) } ?? 0 }))
    }

    /// The same for one that every record has.
    static func part(
        _ name: String, _ value: @escaping @Sendable (LoadRecord) -> Value,
        isAlike: (@Sendable (Value, Value) -> Bool)?
    ) -> SharedRoot where Value: AnyObject {
        let alike = isAlike.map { test -> RootComparison.Test in { test(value($0), value($1)) } }
        return SharedRoot(
            value: value,
            comparison: RootComparison(
                name: name, isSame: { value($0) === value($1) }, isAlike: alike,
                address: { UInt(bitPattern: ObjectIdentifier(value($0))) }))
    }
}

/// That a field is made of a root.
struct FieldSharing: Sendable {
    let root: RootComparison
    /// Whether the field says the same in both; nil where the root knows.
    let isAlike: RootComparison.Test?
}

/// How records are compared by all roots of a list's fields. Folded, because calling what a closure has captured counts no
/// references, as calling elements of an array would.
struct FormComparison: Sendable {
    let isSame: RootComparison.Test
    let isAlike: RootComparison.Test
    /// Addresses of the references, stirred.
    let mark: RootComparison.Address

    init(_ sharing: [FieldSharing]) {
        var roots: [RootComparison] = []
        for root in sharing.map(\.root) where !roots.contains(where: { $0.name == root.name }) { roots.append(root) }
        // References first: they tell most forms apart, at the least cost.
        roots = roots.filter { $0.address != nil } + roots.filter { $0.address == nil }
        isSame = Self.all(roots.map(\.isSame))
        isAlike = Self.all(
            roots.map { root -> RootComparison.Test in
                let fields = Self.all(sharing.filter { $0.root.name == root.name }.compactMap(\.isAlike))
                let test = root.isAlike ?? fields
                return { root.isSame($0, $1) || test($0, $1) }
            })
        var mark: RootComparison.Address = { _ in 0 }
        for address in roots.compactMap(\.address) {
            let before = mark
            mark = { before($0) &* 31 &+ address($0) }
        }
        self.mark = mark
    }

    private static func all(_ tests: [RootComparison.Test]) -> RootComparison.Test {
        guard let first = tests.first else { return { _, _ in true } }
        return tests.dropFirst().reduce(first) { before, next in { before($0, $1) && next($0, $1) } }
    }
}
