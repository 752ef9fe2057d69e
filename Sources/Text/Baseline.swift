/// Known findings that are accepted: a file that is kept in a repository next to the files that it covers.
///
/// One entry per line, sorted, so that two branches merge and a diff shows added and removed entries. An entry is a few
/// words separated by blanks, for example `api.example.com ats.forward-secrecy`. A word that contains a blank, a
/// quotation mark, a backslash or a `#` is quoted as in JSON. Lines that begin with `#` are comments; those directly
/// above an entry stay with it when the file is rewritten.
public struct Baseline: Sendable, Hashable {
    /// The identity of a finding: for loads, the host and the rule.
    public struct Entry: Sendable, Hashable, Comparable, CustomStringConvertible {
        public let words: [String]

        public init(_ words: [String]) {
            self.words = words
        }

        public var description: String { words.map(\.baselineWord).joined(separator: " ") }

        public static func < (one: Entry, other: Entry) -> Bool {
            one.words.lexicographicallyPrecedes(other.words) { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        }
    }

    /// A comparison of findings with the baseline; all lists are sorted.
    public struct Comparison: Sendable, Hashable {
        /// Found, but not in the baseline: these fail.
        public let new: [Entry]
        /// Found, and in the baseline: these are accepted.
        public let known: [Entry]
        /// In the baseline, but no longer found: these can be removed from the file.
        public let gone: [Entry]
    }

    /// Comment lines directly above each entry, without line ends.
    private var comments: [Entry: [String]]

    public init(_ entries: some Sequence<Entry> = []) {
        comments = Dictionary(entries.map { ($0, []) }) { first, _ in first }
    }

    public var entries: Set<Entry> { Set(comments.keys) }

    /// Reads a file.
    ///
    /// - Parameters:
    ///   - words: the number of words of an entry.
    ///   - meaning: returns the entry for that many words, or throws if they are invalid.
    /// - Throws: ``BaselineFault`` for the first line that is not an entry.
    public init(
        text: String, words: Int, meaning: ([String]) throws -> Entry = { Entry($0) }
    ) throws(BaselineFault) {
        comments = [:]
        var above: [String] = []
        // By scalars: CR LF is a single Character in Swift.
        let lines = text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false)
        for (index, line) in lines.enumerated() {
            var scan = BaselineLine(line)
            if scan.isBlank {
                // A comment without an entry below it refers to the whole file.
                above.removeAll()
            } else if scan.isComment {
                above.append(scan.text)
            } else {
                guard let found = scan.words(), found.count == words else {
                    throw BaselineFault(line: index + 1, text: scan.text, words: words)
                }
                do { comments[try meaning(found), default: []] += above } catch {
                    throw BaselineFault(line: index + 1, text: scan.text, words: words, reason: "\(error)")
                }
                above.removeAll()
            }
        }
    }

    /// Returns the text of the file, with a title line.
    ///
    /// - Parameter title: one line that describes the words of an entry.
    public func text(title: String) -> String {
        let lines = entries.sorted().flatMap { entry in (comments[entry] ?? []) + [entry.description] }
        return (["# \(title)", ""] + lines).map { $0 + "\n" }.joined()
    }

    /// Returns the baseline of the current findings; comments of remaining entries are kept.
    public func replaced(by found: some Sequence<Entry>) -> Baseline {
        var new = Baseline(found)
        for entry in new.entries { new.comments[entry] = comments[entry] ?? [] }
        return new
    }

    public func compare(_ found: some Sequence<Entry>) -> Comparison {
        let found = Set(found)
        return Comparison(
            new: found.subtracting(entries).sorted(), known: found.intersection(entries).sorted(),
            gone: entries.subtracting(found).sorted())
    }
}

/// A line of a baseline that is not an entry.
public struct BaselineFault: Error, Sendable, Hashable, CustomStringConvertible {
    /// Counted from 1.
    public let line: Int
    public let text: String
    /// The number of words of an entry.
    public let words: Int
    /// A sentence without a full stop; nil if the number of words is wrong.
    public let reason: String?

    public init(line: Int, text: String, words: Int, reason: String? = nil) {
        self.line = line
        self.text = text
        self.words = words
        self.reason = reason
    }

    public var description: String {
        reason.map { "line \(line): \($0)" } ?? "line \(line) is not an entry of \(words) words: \(text.printable)"
    }
}

/// Parses one line of a ``Baseline``.
struct BaselineLine {
    let text: String
    private var rest: Substring.UnicodeScalarView

    init(_ line: Substring.UnicodeScalarView) {
        // Git may write CR before LF.
        rest = line.last == "\r" ? line.dropLast() : line
        text = String(rest)
        skipBlanks()
    }

    var isBlank: Bool { rest.isEmpty }
    var isComment: Bool { rest.first == "#" }

    /// Returns the words of the line; nil if a quotation mark is not closed, or is inside a word.
    mutating func words() -> [String]? {
        var words: [String] = []
        while !rest.isEmpty {
            guard let word = rest.first == "\"" ? quoted() : plain() else { return nil }
            words.append(word)
            guard rest.isEmpty || rest.first?.isLineBlank == true else { return nil }
            skipBlanks()
        }
        return words
    }

    private mutating func plain() -> String? {
        let word = rest.prefix { !$0.isLineBlank }
        rest = rest[word.endIndex...]
        return word.contains("\"") ? nil : String(word)
    }

    private mutating func quoted() -> String? {
        rest.removeFirst()
        var word = String.UnicodeScalarView()
        while let scalar = rest.popFirst() {
            switch scalar {
            case "\"": return String(word)
            case "\\":
                guard let escaped = rest.popFirst() else { return nil }
                switch escaped {
                case "n": word.append("\n")
                case "r": word.append("\r")
                case "t": word.append("\t")
                default: word.append(escaped)
                }
            default: word.append(scalar)
            }
        }
        return nil
    }

    private mutating func skipBlanks() { rest = rest[(rest.firstIndex { !$0.isLineBlank } ?? rest.endIndex)...] }
}

extension Unicode.Scalar {
    fileprivate var isLineBlank: Bool { self == " " || self == "\t" }
}

extension String {
    /// The text as a word of a baseline, quoted if necessary.
    var baselineWord: String {
        let isPlain = !isEmpty && unicodeScalars.allSatisfy { $0.value > 0x20 && $0 != "\"" && $0 != "\\" && $0 != "#" }
        guard !isPlain else { return self }
        var text = "\""
        for scalar in unicodeScalars {
            switch scalar {
            case "\"", "\\": text += "\\" + String(scalar)
            case "\n": text += "\\n"
            case "\r": text += "\\r"
            case "\t": text += "\\t"
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text + "\""
    }
}
