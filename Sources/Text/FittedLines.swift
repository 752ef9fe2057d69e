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
        // A label of several words is indented; a sentence is not.
        let head = line.prefixMatch(of: /\s+\S+(?: \S+){1,4}\s{2,}|\s*(?:\S+\s{2,})?/)?.output ?? ""
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

    /// Returns this text, or its first `limit` bytes and a mark with the number of missing bytes, for example
    /// `/search?q=aaaa…(+51200 bytes)`.
    @inlinable
    public func cut(toBytes limit: Int) -> String { utf8.count > limit ? marked(afterBytes: limit) : self }

    @usableFromInline
    func marked(afterBytes limit: Int) -> String {
        var end = utf8.index(utf8.startIndex, offsetBy: limit)
        // Do not cut inside a character's bytes.
        while end > utf8.startIndex, end.samePosition(in: unicodeScalars) == nil { end = utf8.index(before: end) }
        let kept = self[..<end]
        return kept + "…(+\(utf8.count - kept.utf8.count) bytes)"
    }

    /// An upper bound for the number of bytes of this text as a JSON string, without its quotes.
    public var bytesInJSON: Int {
        var before: (UInt8, UInt8) = (0, 0)
        return utf8.reduce(0) { bytes, byte in
            defer { before = (before.1, byte) }
            switch (before.0, before.1, byte) {
            // Control characters become six bytes (RFC 8259 section 7), C1 controls and line ends outside ASCII, too.
            case (_, _, ..<0x20): return bytes + 6
            case (_, 0xC2, 0x80...0x9F): return bytes + 5
            case (0xE2, 0x80, 0xA8...0xA9): return bytes + 4
            case (_, _, UInt8(ascii: "\"")), (_, _, UInt8(ascii: "\\")): return bytes + 2
            default: return bytes + 1
            }
        }
    }
}

extension Int {
    /// `1 load`, `2 loads`.
    public var loads: String { self == 1 ? "1 load" : "\(self) loads" }
}
