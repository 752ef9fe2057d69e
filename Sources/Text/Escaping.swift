/// Escapes text for XML 1.0, in an element or in double quotes.
public enum XMLText {
    /// Returns the escaped text. Characters that XML 1.0 section 2.2 does not allow become U+FFFD.
    public static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "\n", "\r", "\t": result += "&#\(scalar.value);"
            case let other where other.value < 0x20 || other.value == 0xFFFE || other.value == 0xFFFF:
                result += "\u{FFFD}"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}

/// Comma-separated values by RFC 4180.
public enum CSVText {
    /// One row with its line end.
    public static func row(_ fields: [String]) -> String { fields.map(field).joined(separator: ",") + "\r\n" }

    /// Quotes a field if RFC 4180 section 2 requires it. Text that a spreadsheet would read as a formula gets an
    /// apostrophe prefix (OWASP, CSV Injection).
    static func field(_ text: String) -> String {
        let text = text.printable
        let isFormula = text != "-" && text.first.map { "=+-@\t\r".contains($0) } == true
        let safe = isFormula && Int(text) == nil ? "'" + text : text
        guard safe.utf8.contains(where: { [0x22, 0x2C, 0x0A, 0x0D].contains($0) }) else { return safe }
        return "\"" + safe.replacing("\"", with: "\"\"") + "\""
    }
}

/// Escapes text for the Markdown of GitHub and GitLab.
public enum MarkdownText {
    /// Returns the text with a backslash before each character that is special in Markdown or HTML (CommonMark section
    /// 2.4).
    public static func escaped(_ text: String) -> String {
        var result = ""
        for character in text.printable {
            if "\\`*_[]<>|#&~".contains(character) { result.append("\\") }
            result.append(character)
        }
        return result
    }

    /// Text as code, on one line. A backtick, which would end it, becomes an apostrophe.
    public static func code(_ text: String) -> String { "`\(text.printable.replacing("`", with: "'"))`" }

    /// Lines as a block of code (CommonMark section 4.5).
    ///
    /// - Parameter language: decides the colours, for example `diff`.
    public static func block(_ text: String, _ language: String) -> String {
        let text = text.printableLines.replacing("```", with: "'''")
        return "```\(language)\n\(text)\(text.hasSuffix("\n") ? "" : "\n")```\n"
    }

    /// A section that the reader can open (GitHub Docs, Organizing information with collapsed sections).
    ///
    /// - Parameters:
    ///   - summary: must already be Markdown, like `text`.
    ///   - text: ends with a line break.
    public static func details(_ summary: String, _ text: String, isOpen: Bool = false) -> String {
        "<details\(isOpen ? " open" : "")><summary>\(summary)</summary>\n\n\(text)\n</details>\n"
    }

    /// Returns one row of a table; its cells must already be Markdown.
    public static func row(_ cells: [String]) -> String { "| " + cells.joined(separator: " | ") + " |\n" }
}

extension String {
    /// This text as one POSIX shell word, quoted if necessary.
    public var shellWord: String {
        let isPlain =
            !isEmpty
            && unicodeScalars.allSatisfy { scalar in
                scalar.isASCII
                    && (scalar.properties.isAlphabetic || ("0"..."9").contains(scalar)
                        || "_-./:=@%+,".unicodeScalars.contains(scalar))
            }
        guard !isPlain else { return self }
        return "'" + split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
    }
}

extension StringProtocol {
    /// This text without characters that could control a terminal, start a new line or reorder one. Makes text from a
    /// network or a file safe for one line of output. Escapes are written as `\u{HEX}`.
    ///
    /// Escaped are the controls (C0, DEL and C1: ECMA-48), line and paragraph separators, the bidirectional controls
    /// (UAX 9 section 2: U+061C, U+200E, U+200F, U+202A to U+202E, U+2066 to U+2069), the deprecated format characters
    /// U+206A to U+206F, the interlinear ones U+FFF9 to U+FFFB, the byte order mark and the invisible tags (The Unicode
    /// Standard 15.0, sections 23.2 to 23.9).
    public var printable: String { escaping { $0.steersTerminal } }

    /// Like ``printable``, but keeps line feeds: a last safeguard for multi-line text whose foreign parts are already
    /// printable.
    public var printableLines: String { escaping { $0.steersTerminal && $0 != "\n" } }

    private func escaping(_ isEscaped: (Unicode.Scalar) -> Bool) -> String {
        guard unicodeScalars.contains(where: isEscaped) else { return String(self) }
        var kept = ""
        for scalar in unicodeScalars {
            if isEscaped(scalar) {
                kept += "\\u{" + String(scalar.value, radix: 16) + "}"
            } else {
                kept.unicodeScalars.append(scalar)
            }
        }
        return kept
    }
}

extension Unicode.Scalar {
    fileprivate var steersTerminal: Bool {
        switch value {
        case 0x20..<0x7F: false
        case 0..<0x20, 0x7F..<0xA0, 0x061C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x206F, 0xFEFF,
            0xFFF9...0xFFFB, 0xE0000...0xE007F:
            true
        default: false
        }
    }
}

extension String {
    /// Appends spaces up to `width` characters. Longer text stays unchanged.
    public func padded(to width: Int) -> String {
        self + String(repeating: " ", count: max(0, width - count))
    }

    /// Prepends spaces up to `width` characters. Longer text stays unchanged.
    public func rightAligned(to width: Int) -> String {
        String(repeating: " ", count: max(0, width - count)) + self
    }

    /// Returns lines of at most `width` characters, broken between words; a longer word gets its own line.
    public func wrapped(to width: Int?) -> [String] {
        guard let width, count > width else { return [self] }
        var lines = [""]
        for word in split(separator: " ") {
            let last = lines[lines.count - 1]
            if last.isEmpty {
                lines[lines.count - 1] = String(word)
            } else if last.count + 1 + word.count <= width {
                lines[lines.count - 1] += " " + word
            } else {
                lines.append(String(word))
            }
        }
        return lines
    }
}
