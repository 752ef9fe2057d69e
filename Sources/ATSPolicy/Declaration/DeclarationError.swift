import Text

/// Why a policy file could not be read. The commands answer with exit code 65.
public struct DeclarationError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The file; `ARCHIVE!ENTRY` inside an archive, `-` for standard input.
    public var source: String
    /// Path of keys to the value at fault, where there is one.
    public var keyPath: String?
    /// Counted from 1.
    public var line: Int?
    /// What is wrong, as a sentence without a full stop.
    public var what: String

    public init(source: String, keyPath: String? = nil, line: Int? = nil, what: String) {
        self.source = source
        self.keyPath = keyPath
        self.line = line
        self.what = what
    }

    /// `FILE:LINE: KEYPATH: WHAT`, parts that are not known left out. Fit for a terminal, whatever the file holds.
    public var description: String {
        let place = line.map { "\(source):\($0)" } ?? source
        return [place, keyPath, what].compactMap { $0 }.joined(separator: ": ").printable
    }
}
