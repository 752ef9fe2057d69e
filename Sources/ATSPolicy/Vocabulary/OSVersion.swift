import Text

/// A version number of a system, for example 18.4.1.
public struct OSVersion: Sendable, Hashable, Comparable, CustomStringConvertible {
    public let major: Int
    public let minor: Int
    public let patch: Int

    public init(_ major: Int, _ minor: Int = 0, _ patch: Int = 0) {
        self.major = major
        self.minor = minor
        self.patch = patch
    }

    /// Reads one to three numbers with dots between them, as in `26.0`.
    ///
    /// - Returns: nil for anything else, and for numbers of more than four digits.
    public init?(_ text: some StringProtocol) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard 1...3 ~= parts.count else { return nil }
        var numbers: [Int] = []
        for part in parts {
            guard 1...Self.mostDigits ~= part.utf8.count, part.utf8.allSatisfy({ $0.decimalDigit != nil }),
                let number = Int(part)
            else { return nil }
            numbers.append(number)
        }
        self.init(numbers[0], numbers.count > 1 ? numbers[1] : 0, numbers.count > 2 ? numbers[2] : 0)
    }

    /// The shortest form: `26`, `18.4`, `10.14.4`.
    public var description: String {
        if patch > 0 { return "\(major).\(minor).\(patch)" }
        return minor > 0 ? "\(major).\(minor)" : "\(major)"
    }

    public static func < (left: OSVersion, right: OSVersion) -> Bool {
        (left.major, left.minor, left.patch) < (right.major, right.minor, right.patch)
    }

    private static let mostDigits = 4
}
