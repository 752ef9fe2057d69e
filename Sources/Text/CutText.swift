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
    /// How many bytes it takes as a string of JSON, without its quotes.
    public var bytesInJSON: Int {
        utf8.reduce(0) { bytes, byte in
            // Control characters are written as six (RFC 8259 section 7).
            bytes + (byte < 0x20 ? 6 : byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") ? 2 : 1)
        }
    }
}
