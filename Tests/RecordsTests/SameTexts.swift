import Foundation

/// Compares two JSON objects.
enum SameTexts {
    /// The keys of the texts that are equal. Empty texts do not count, except for the id.
    static func keys(_ one: Any, _ other: Any, _ path: String = "") -> Set<String> {
        switch (one, other) {
        case (let one as [String: Any], let other as [String: Any]):
            one.reduce(into: []) { found, member in
                guard let value = other[member.key] else { return }
                found.formUnion(keys(member.value, value, path.isEmpty ? member.key : "\(path).\(member.key)"))
            }
        case (let one as [Any], let other as [Any]):
            zip(one, other).reduce(into: []) { $0.formUnion(keys($1.0, $1.1, path)) }
        case (let one as String, let other as String): one == other && (!one.isEmpty || path == "id") ? [path] : []
        default: []
        }
    }

    /// The keys without a value: null, an empty text, an empty list.
    static func empty(_ value: Any, _ path: String = "") -> Set<String> {
        switch value {
        case let object as [String: Any]:
            object.reduce(into: []) { found, member in
                found.formUnion(empty(member.value, path.isEmpty ? member.key : "\(path).\(member.key)"))
            }
        case let list as [Any] where !list.isEmpty: list.reduce(into: []) { $0.formUnion(empty($1, path)) }
        case let text as String where !text.isEmpty: []
        case is NSNull, is String, is [Any]: [path]
        default: []
        }
    }
}
