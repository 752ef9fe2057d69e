/// What the comments of a file say to lint: `<!-- atsgate:disable RULE reason -->` for the line that it stands on and the
/// next one that is no such comment, `atsgate:disable-file` for the whole file.
struct LintComments {
    private struct Comment {
        let rule: String
        let line: Int
        /// Lines that it is about; nil for all.
        let reach: ClosedRange<Int>?
        let hasReason: Bool
        var wasUsed = false
    }

    private var comments: [Comment] = []

    /// - Parameter text: the whole file; JSON has no comments.
    init(_ text: String) {
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

    /// The findings that no comment hides, with one for each comment that hides nothing.
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
                LintMark(LintPlace(keyPath: comment.rule, line: comment.line), Self.complaint(about: comment)),
                by: .disableComment)
        }
        return (kept + idle).enumerated().sorted {
            ($0.element.line ?? 0, $0.offset) < ($1.element.line ?? 0, $1.offset)
        }.map(\.element)
    }

    private static func complaint(about comment: Comment) -> String {
        if comment.rule.isEmpty { return "the comment names no rule: write \(mark) RULE reason" }
        if !LintBook.all.contains(where: { $0.id == comment.rule }) { return "there is no rule \(comment.rule)" }
        if !comment.hasReason { return "the comment gives no reason, so \(comment.rule) is reported all the same" }
        return "nothing is left that this comment would hide: delete it"
    }

    /// Rules may be named without `lint.`.
    private static func full(_ rule: Substring) -> String {
        rule.hasPrefix("lint.") ? String(rule) : "lint." + rule
    }

    /// The words of a comment for lint, without its brackets; nil for another line. It may follow a key.
    private static func words(of line: Substring) -> [Substring]? {
        guard let start = line.firstRange(of: "<!--"), let end = line[start.upperBound...].firstRange(of: "-->") else {
            return nil
        }
        let words = line[start.upperBound..<end.lowerBound].split { $0 == " " || $0 == "\t" }
        return words.first?.hasPrefix(mark) == true ? words : nil
    }

    private static let mark = "atsgate:disable"
}
