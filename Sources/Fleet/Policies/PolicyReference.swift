/// A dictionary of a shared store: the newest version of a name, or one of its versions.
public struct PolicyReference: Sendable, Hashable, CustomStringConvertible {
    public let name: String
    /// nil for the newest version.
    public let version: Int64?

    /// The prefix of such a reference in `--policy`.
    public static let scheme = "store:"

    /// - Parameter text: `NAME` or `NAME@VERSION`. A name has up to 63 ASCII letters, digits, `.`, `_` and `-`, and
    ///   begins with a letter or a digit; a version is an integer from 1.
    public init?(_ text: String) {
        let parts = text.split(separator: "@", maxSplits: 1, omittingEmptySubsequences: false)
        guard let name = parts.first?.utf8, (1...63).contains(name.count), let first = name.first,
            Self.isLetterOrDigit(first),
            name.allSatisfy({ Self.isLetterOrDigit($0) || [0x2D, 0x2E, 0x5F].contains($0) })
        else { return nil }
        self.name = String(parts[0])
        guard parts.count == 2 else {
            version = nil
            return
        }
        // "+7" and "07" would be other spellings of the same version.
        guard let number = Int64(parts[1]), number > 0, "\(number)" == parts[1] else { return nil }
        version = number
    }

    /// `NAME` or `NAME@VERSION`; valid as a file name.
    public var description: String { name + (version.map { "@\($0)" } ?? "") }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
    }
}
