/// A place in a text of bytes, with the number of its line. CR without LF also ends a line.
struct LineCursor {
    /// The whole text.
    let source: [UInt8]
    private(set) var position = 0
    private(set) var line = 1

    init(_ bytes: [UInt8]) {
        source = bytes
    }

    /// The byte at this place; nil at the end.
    var next: UInt8? { position < source.count ? source[position] : nil }

    /// The bytes from this place to the end.
    var rest: ArraySlice<UInt8> { source[position...] }

    mutating func advance(_ count: Int = 1) {
        for _ in 0..<count {
            guard let byte = next else { return }
            position += 1
            if byte == 0x0A || (byte == 0x0D && next != 0x0A) { line += 1 }
        }
    }

    /// Advances to the first byte for which `isEnd` is true, or to the end.
    mutating func advance(to isEnd: (UInt8) -> Bool) {
        while let byte = next, !isEnd(byte) { advance() }
    }

    /// Advances past a byte if it is the next one.
    mutating func take(_ byte: UInt8) -> Bool {
        guard next == byte else { return false }
        advance()
        return true
    }

    func startsWith(_ text: StaticString) -> Bool {
        text.withUTF8Buffer { rest.starts(with: $0) }
    }

    /// The text from an earlier place to this one. Invalid UTF-8 is replaced.
    func text(from start: Int) -> String {
        String(decoding: source[start..<position], as: UTF8.self)
    }
}
