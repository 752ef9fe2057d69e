import Text

/// Names that are replaced wherever they occur, the longest first.
package struct KnownNames: Sendable {
    private(set) var names: [(name: String, mask: String)] = []

    package init() {}

    mutating func add(_ name: String?, _ mask: (String) -> String) {
        // Addresses and CIDR blocks are found by their syntax, and would be masked twice.
        guard let name, name.utf8.count > 1, IPAddress(name.prefix { $0 != "/" }) == nil else { return }
        add(name, mask(name))
    }

    mutating func add(_ other: KnownNames) {
        for (name, mask) in other.names { add(name, mask) }
    }

    private mutating func add(_ name: String, _ mask: String) {
        guard mask != name, !names.contains(where: { $0.name == name }) else { return }
        let place = names.firstIndex { $0.name.utf8.count < name.utf8.count } ?? names.endIndex
        names.insert((name, mask), at: place)
    }
}
