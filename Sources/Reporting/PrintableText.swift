extension String {
    /// This text without anything that could steer a terminal or reorder a line: network bytes end up in ours.
    ///
    /// C0, DEL, C1 and the bidirectional controls (Unicode 15, UAX 9) become `\u{HEX}`.
    var printable: String {
        guard unicodeScalars.contains(where: \.steersTerminal) else { return self }
        var kept = ""
        for scalar in unicodeScalars {
            if scalar.steersTerminal {
                kept += "\\u{" + String(scalar.value, radix: 16) + "}"
            } else {
                kept.unicodeScalars.append(scalar)
            }
        }
        return kept
    }

    /// Spaces behind, up to `width` characters. Longer text stays whole.
    func padded(to width: Int) -> String {
        let missing = width - count
        return missing > 0 ? self + String(repeating: " ", count: missing) : self
    }

    /// Spaces in front, up to `width` characters. Longer text stays whole.
    func rightAligned(to width: Int) -> String {
        let missing = width - count
        return missing > 0 ? String(repeating: " ", count: missing) + self : self
    }
}

extension Unicode.Scalar {
    fileprivate var steersTerminal: Bool {
        switch value {
        case 0..<0x20, 0x7F..<0xA0, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069: true
        default: false
        }
    }
}
