/// Findings that are known and let pass: a file that lives in a repository beside what it is about.
///
/// One entry a line, sorted, so that two branches merge and a diff tells what came and went. An entry is a few words
/// with blanks between them, for example `api.example.com ats.forward-secrecy`; a word with a blank, a quotation mark,
/// a backslash or a `#` in it stands in quotation marks, as in JSON. Lines that begin with `#` are comments; those
/// right above an entry stay with it when the file is written anew.
public struct Baseline: Sendable, Hashable {
    /// What tells one finding from the others: for loads the host and the rule.
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

    /// How findings compare with what is known; all lists are sorted.
    public struct Comparison: Sendable, Hashable {
        /// Found and not known: what fails.
        public let new: [Entry]
        /// Found and known: what passes.
        public let known: [Entry]
        /// Known and no longer found: what can be taken out of the file.
        public let gone: [Entry]
    }

    /// Comment lines right above each entry, without their line ends.
    private var comments: [Entry: [String]]

    public init(_ entries: some Sequence<Entry> = []) {
        comments = Dictionary(entries.map { ($0, []) }) { first, _ in first }
    }

    public var entries: Set<Entry> { Set(comments.keys) }

    /// Reads a file.
    ///
    /// - Parameters:
    ///   - words: how many an entry has.
    ///   - meaning: the entry that so many words are, or what is wrong with them.
    /// - Throws: ``BaselineFault`` with the first line that is no entry.
    public init(
        text: String, words: Int, meaning: ([String]) throws -> Entry = { Entry($0) }
    ) throws(BaselineFault) {
        comments = [:]
        var above: [String] = []
        // By scalars: CR and LF are one character of Swift's.
        let lines = text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false)
        for (index, line) in lines.enumerated() {
            var scan = BaselineLine(line)
            if scan.isBlank {
                // A comment with nothing below it is about the file.
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

    /// The file, with a line on top that says what it is.
    ///
    /// - Parameter title: one line; what an entry's words are.
    public func text(title: String) -> String {
        let lines = entries.sorted().flatMap { entry in (comments[entry] ?? []) + [entry.description] }
        return (["# \(title)", ""] + lines).map { $0 + "\n" }.joined()
    }

    /// The baseline of what is found now; comments of what stays are kept.
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

/// A line of a baseline that is no entry.
public struct BaselineFault: Error, Sendable, Hashable, CustomStringConvertible {
    /// Counted from 1.
    public let line: Int
    public let text: String
    /// How many an entry has.
    public let words: Int
    /// A sentence without a full stop; nil where it has not so many words.
    public let reason: String?

    public init(line: Int, text: String, words: Int, reason: String? = nil) {
        self.line = line
        self.text = text
        self.words = words
        self.reason = reason
    }

    public var description: String {
        reason.map { "line \(line): \($0)" } ?? "line \(line) is no entry of \(words) words: \(text.printable)"
    }
}
