/// The comments of a file that control lint: `<!-- atsgate:disable RULE reason -->` for its own line and the next line
/// that is not such a comment, `atsgate:disable-file` for the whole file.
struct LintComments {
    private struct Comment {
        let rule: String
        let line: Int
        /// Lines that the comment covers; nil for all.
        let reach: ClosedRange<Int>?
        let hasReason: Bool
        var wasUsed = false
    }

    private var comments: [Comment] = []

    /// - Parameter text: the whole file; JSON has no comments.
    init(_ text: String) {
        guard Self.hasComment(text) else { return }
        let lines = text.lintLines
        for (index, line) in lines.enumerated() {
            guard let words = Self.words(of: line), let first = words.first else { continue }
            let isForFile = first == Self.mark + "-file"
            guard isForFile || first == Self.mark else { continue }
            let next = lines.indices.dropFirst(index + 1).first { Self.words(of: lines[$0]) == nil } ?? index
            comments.append(
                Comment(
                    rule: words.count > 1 ? Self.full(words[1]) : "", line: index + 1,
                    reach: isForFile ? nil : index + 1...next + 1, hasReason: words.count > 2))
        }
    }

    /// The findings that no comment hides, and a finding for each comment that hides none.
    mutating func applied(to findings: [LintFinding]) -> [LintFinding] {
        guard !comments.isEmpty else { return findings }
        var kept: [LintFinding] = []
        for finding in findings {
            let index = comments.firstIndex { comment in
                let isHere = comment.reach.map { $0.contains(finding.line ?? 0) } ?? true
                return comment.rule == finding.rule && comment.hasReason && isHere
            }
            if let index { comments[index].wasUsed = true } else { kept.append(finding) }
        }
        let idle = comments.filter { !$0.wasUsed }.map { comment in
            LintFinding(
                LintMark(LintLocation(keyPath: comment.rule, line: comment.line), Self.complaint(about: comment)),
                by: .disableComment)
        }
        return (kept + idle).ordered
    }

    private static func complaint(about comment: Comment) -> String {
        if comment.rule.isEmpty { return "the comment names no rule: write \(mark) RULE reason" }
        if !LintBook.all.contains(where: { $0.id == comment.rule }) { return "unknown rule \(comment.rule)" }
        if !comment.hasReason { return "the comment gives no reason, so \(comment.rule) is still reported" }
        return "this comment hides no finding: delete it"
    }

    /// Rules may be named without `lint.`.
    private static func full(_ rule: Substring) -> String {
        rule.hasPrefix("lint.") ? String(rule) : "lint." + rule
    }

    /// The words of a lint comment, without its brackets; nil for any other line. The comment may follow a key.
    private static func words(of line: Substring) -> [Substring]? {
        // Nearly no line contains this character, and a file may have a million lines.
        guard line.utf8.contains(UInt8(ascii: "!")), let start = line.firstRange(of: "<!--"),
            let end = line[start.upperBound...].firstRange(of: "-->")
        else {
            return nil
        }
        let words = line[start.upperBound..<end.lowerBound].split { $0 == " " || $0 == "\t" }
        return words.first?.hasPrefix(mark) == true ? words : nil
    }

    /// True if there is an XML comment: splitting a file into a million lines takes longer than this search.
    private static func hasComment(_ text: String) -> Bool {
        var rest = text.utf8[...]
        while let next = rest.firstIndex(of: UInt8(ascii: "!")) {
            if rest[next...].starts(with: "!--".utf8) { return true }
            rest = rest[rest.index(after: next)...]
        }
        return false
    }

    private static let mark = "atsgate:disable"
}
