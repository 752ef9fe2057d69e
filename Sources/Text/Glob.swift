/// A pattern for a whole name: `*` matches any text including none, `?` one character, everything else itself. ASCII
/// case is ignored.
public struct Glob: Sendable, Hashable, CustomStringConvertible {
    /// The original text.
    public let description: String
    private let pattern: [Unicode.Scalar]

    public init(_ text: String) {
        description = text
        pattern = Self.withoutRuns(Self.folded(text))
    }

    /// Reduces a run of stars and question marks to its question marks and one star, which match the same names. A
    /// regular expression engine creates states for each star: PostgreSQL 15 took 1.4 seconds for 500 in a row and
    /// rejected 2,000.
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

    /// True if the pattern matches all of `name`. The number of steps is at most the product of both lengths.
    public func matches(_ name: String) -> Bool {
        let name = Self.folded(name)
        var (place, index) = (0, 0)
        // The index after the last star, and the first position in the name that the star does not cover yet.
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

    /// The pattern for SQLite's `GLOB`, to compare with the name in lower case. In it, `[` begins a set
    /// (sqlite.org/lang_expr.html#glob).
    public var sqlite: String {
        String(String.UnicodeScalarView(pattern)).replacing("[", with: "[[]")
    }

    /// The pattern as a regular expression, to compare with the name in lower case. All characters with a special
    /// meaning are escaped (PostgreSQL 15, section 9.7.3.3).
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
