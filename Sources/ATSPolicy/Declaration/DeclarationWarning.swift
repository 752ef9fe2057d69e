import Text

/// Something in a declaration that does not do what its author wanted, though the file can be read.
public struct DeclarationWarning: Sendable, Hashable, CustomStringConvertible {
    /// From `NSAppTransportSecurity`, except for keys that stand outside of it.
    public var keyPath: String
    public var line: Int?
    public var sentence: String
    /// The line that Apple's own parser writes to the system log about it. Source: Security,
    /// SecProtocolConfiguration.m; docs/law/keys.md#messages-of-the-parser.
    public var appleLog: String?
    /// Key of the exception entry or pinned domain that it is about; nil for the rest of the file.
    public var entry: String?

    public init(
        keyPath: String, line: Int?, sentence: String, appleLog: String? = nil, entry: String? = nil
    ) {
        self.keyPath = keyPath
        self.line = line
        self.sentence = sentence
        self.appleLog = appleLog
        self.entry = entry
    }

    /// `LINE: KEYPATH: SENTENCE`, fit for a terminal, whatever the file holds.
    public var description: String {
        [line.map { "line \($0)" }, keyPath, sentence].compactMap { $0 }.joined(separator: ": ").printable
    }
}
