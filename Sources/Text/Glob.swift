/// A pattern over a whole name: `*` stands for any text, none too, `?` for one character, everything else for itself.
/// Capitals of ASCII make no difference.
public struct Glob: Sendable, Hashable, CustomStringConvertible {
    /// As it was written.
    public let description: String
    private let pattern: [Unicode.Scalar]

    public init(_ text: String) {
        description = text
        pattern = Self.withoutRuns(Self.folded(text))
    }

    /// A run of stars and question marks says what as many question marks and one star say. Of each star of a regular
    /// expression a server makes states: five hundred in a row took PostgreSQL 15 1.4 seconds, two thousand were too
    /// many for it.
    private static func withoutRuns(_ pattern: [Unicode.Scalar]) -> [Unicode.Scalar] {
        var plain: [Unicode.Scalar] = []
        var isAfterStar = false
        for scalar in pattern {
            if scalar == "*" {
                isAfterStar = true
            } else {
                if isAfterStar, scalar != "?" {
                    plain.append("*")
                    isAfterStar = false
                }
                plain.append(scalar)
            }
        }
        return isAfterStar ? plain + ["*"] : plain
    }

    /// Whether it stands for all of `name`. Takes no more steps than the product of both lengths.
    public func matches(_ name: String) -> Bool {
        let name = Self.folded(name)
        var (place, index) = (0, 0)
        /// After the last star, and the first place that it does not cover yet.
        var star: (next: Int, covered: Int)?
        while place < name.count {
            if index < pattern.count, pattern[index] == "*" {
                index += 1
                star = (index, place)
            } else if index < pattern.count, pattern[index] == "?" || pattern[index] == name[place] {
                index += 1
                place += 1
            } else if let last = star {
                star = (last.next, last.covered + 1)
                index = last.next
                place = last.covered + 1
            } else {
                return false
            }
        }
        return pattern[index...].allSatisfy { $0 == "*" }
    }

    /// The same for SQLite's `GLOB`, to be held against the name in lower case: there `[` begins a set
    /// (sqlite.org/lang_expr.html#glob).
    public var sqlite: String {
        String(String.UnicodeScalarView(pattern)).replacing("[", with: "[[]")
    }

    /// The same as a regular expression, to be held against the name in lower case. Whatever could mean something in one is
    /// escaped (PostgreSQL 15, section 9.7.3.3).
    public var regularExpression: String {
        let parts = pattern.map { scalar in
            switch scalar {
            case "*": ".*"
            case "?": "."
            case "a"..."z", "0"..."9": String(scalar)
            case _ where scalar.isASCII && scalar.value > 0x20 && scalar.value < 0x7F: "\\" + String(scalar)
            default: String(scalar)
            }
        }
        return "^" + parts.joined() + "$"
    }

    private static func folded(_ text: String) -> [Unicode.Scalar] {
        text.unicodeScalars.map { scalar in
            ("A"..."Z").contains(scalar) ? Unicode.Scalar(UInt8(scalar.value) + 32) : scalar
        }
    }
}
