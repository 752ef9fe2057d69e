extension String {
    /// Wraps these lines at word boundaries to a terminal's width. Continuation lines align with the text after the
    /// label of the line. Colour codes have no width. Rows of tables, XML and commands stay whole, so that they can be
    /// copied.
    ///
    /// - Parameters:
    ///   - width: in characters; nil for no wrapping.
    ///   - hanging: the indentation of continuation lines without a label.
    public func fitted(to width: Int?, hanging: Int = 0) -> String {
        guard let width else { return self }
        return split(separator: "\n", omittingEmptySubsequences: false)
            .map { Self.isWhole($0) ? String($0) : Self.fit($0, width, hanging) }.joined(separator: "\n")
    }

    private static func isWhole(_ line: Substring) -> Bool {
        let text = line.drop { $0 == " " }
        return ["|", "<", "$ ", "atsgate ", "/usr/libexec/PlistBuddy"].contains { text.hasPrefix($0) }
    }

    private static func fit(_ line: Substring, _ width: Int, _ hanging: Int) -> String {
        guard columns(line) > width else { return String(line) }
        let head = line.prefixMatch(of: /\s*(?:\S+\s{2,})?/)?.output ?? ""
        let indent = Swift.max(columns(head), hanging)
        // Such a narrow terminal wraps lines as well as this code could.
        guard indent < width / 2 else { return String(line) }
        var lines = [String(head)]
        var used = columns(head)
        var isFirst = true
        for word in line.dropFirst(head.count).split(separator: " ") {
            let room = columns(word)
            if !isFirst, used + 1 + room > width {
                lines.append(String(repeating: " ", count: indent) + word)
                used = indent + room
            } else {
                lines[lines.count - 1] += (isFirst ? "" : " ") + word
                used += (isFirst ? 0 : 1) + room
            }
            isFirst = false
        }
        return lines.joined(separator: "\n")
    }

    private static func columns(_ text: Substring) -> Int {
        text.contains("\u{1B}") ? text.replacing(/\u{1B}\[[0-9;]*m/, with: "").count : text.count
    }
}
