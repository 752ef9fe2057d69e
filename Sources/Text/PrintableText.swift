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
