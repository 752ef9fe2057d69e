import Text

extension String {
    /// Wraps these lines at word boundaries to a terminal's width. Continuation lines align with the text after the
    /// label of the line. Colour codes have no width.
    ///
    /// - Parameter width: in characters; nil for no wrapping.
    func fitted(to width: Int?) -> String {
        guard let width else { return self }
        return split(separator: "\n", omittingEmptySubsequences: false).map { Self.fit($0, width) }
            .joined(separator: "\n")
    }

    private static func fit(_ line: Substring, _ width: Int) -> String {
        guard columns(line) > width else { return String(line) }
        let head = line.prefixMatch(of: /\s*(?:\S+\s{2,})?/)?.output ?? ""
        let indent = columns(head)
        // Such a narrow terminal wraps lines as well as this code could.
        guard indent < width / 2 else { return String(line) }
        var lines = [String(head)]
        var used = indent
        for word in line.dropFirst(head.count).split(separator: " ") {
            let room = columns(word)
            if used > indent, used + 1 + room > width {
                lines.append(String(repeating: " ", count: indent) + word)
                used = indent + room
            } else {
                lines[lines.count - 1] += (used > indent ? " " : "") + word
                used += (used > indent ? 1 : 0) + room
            }
        }
        return lines.joined(separator: "\n")
    }

    private static func columns(_ text: Substring) -> Int {
        text.contains("\u{1B}") ? text.replacing(/\u{1B}\[[0-9;]*m/, with: "").count : text.count
    }
}
