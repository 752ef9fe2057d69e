extension String {
    /// This text, or its first `limit` bytes and a mark that tells how many are missing, for example
    /// `/search?q=aaaa…(+51200 bytes)`.
    @inlinable
    public func cut(toBytes limit: Int) -> String { utf8.count > limit ? marked(afterBytes: limit) : self }

    @usableFromInline
    func marked(afterBytes limit: Int) -> String {
        var end = utf8.index(utf8.startIndex, offsetBy: limit)
        // Not within a character's bytes.
        while end > utf8.startIndex, end.samePosition(in: unicodeScalars) == nil { end = utf8.index(before: end) }
        let kept = self[..<end]
        return kept + "…(+\(utf8.count - kept.utf8.count) bytes)"
    }
}

extension String {
    /// How many bytes it takes as a string of JSON, without its quotes: no more than that.
    public var bytesInJSON: Int {
        var before: (UInt8, UInt8) = (0, 0)
        return utf8.reduce(0) { bytes, byte in
            defer { before = (before.1, byte) }
            switch (before.0, before.1, byte) {
            // Control characters are written as six (RFC 8259 section 7), and so are the ends of lines beyond ASCII.
            case (_, _, ..<0x20): return bytes + 6
            case (_, 0xC2, 0x85): return bytes + 5
            case (0xE2, 0x80, 0xA8...0xA9): return bytes + 4
            case (_, _, UInt8(ascii: "\"")), (_, _, UInt8(ascii: "\\")): return bytes + 2
            default: return bytes + 1
            }
        }
    }
}
