import Text

/// The reason why a policy file could not be read. Commands exit with code 65.
public struct DeclarationError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The file; `ARCHIVE!ENTRY` inside an archive, `-` for standard input.
    public var source: String
    /// Key path of the invalid value, if there is one.
    public var keyPath: String?
    /// Counted from 1.
    public var line: Int?
    /// The problem, as a sentence without a full stop.
    public var what: String

    public init(source: String, keyPath: String? = nil, line: Int? = nil, what: String) {
        self.source = source
        self.keyPath = keyPath
        self.line = line
        self.what = what
    }

    /// `FILE:LINE: KEYPATH: PROBLEM` without unknown parts. Safe to print on a terminal, regardless of the file's
    /// content.
    public var description: String {
        let place = line.map { "\(source):\($0)" } ?? source
        return [place, keyPath, what].compactMap { $0 }.joined(separator: ": ").printable
    }
}
