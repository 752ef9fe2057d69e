extension String {
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
}

extension String {
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
