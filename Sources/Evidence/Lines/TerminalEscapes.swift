/// Removes terminal sequences: tools colour their output, and a log may contain anything.
///
/// Source: ECMA-48 section 5.4 (control sequences) and xterm's operating system commands.
enum TerminalEscapes {
    static let escape: UInt8 = 0x1B

    /// The text without escape sequences. Other control characters stay and are escaped when they are shown.
    static func stripped(_ text: LogText) -> [UInt8] {
        var kept: [UInt8] = []
        kept.reserveCapacity(text.count)
        var place = 0
        while place < text.count {
            guard text[place] == escape else {
                kept.append(text[place])
                place += 1
                continue
            }
            place = end(of: text, from: place + 1)
        }
        return kept
    }

    /// The place after the sequence whose first byte after the escape is at `place`.
    private static func end(of text: LogText, from place: Int) -> Int {
        switch text[place] {
        case UInt8(ascii: "["):
            let parameters = text.end(from: place + 1) { (0x20...0x3F).contains($0) }
            return min(parameters + 1, text.count)
        case UInt8(ascii: "]"):
            // An operating system command ends at a bell or at the string terminator, which begins with an escape.
            let last = text.end(from: place + 1, limit: commandLimit) { $0 != 0x07 && $0 != escape }
            return text[last] == 0x07 ? last + 1 : last
        default: return min(place + 1, text.count)
        }
    }

    private static let commandLimit = 256
}
