import Bytes

/// Searches by the grammar of HTTP.
extension ByteView {
    /// Returns the index of the first control character other than HTAB in `start..<end`, or `end`. Bytes above 0x7F
    /// count as text.
    func firstControl(from start: Int, to end: Int) -> Int {
        firstHit(from: start, to: end) {
            (($0 .< ByteView.spaces) .& ($0 .!= ByteView.tabs)) .| ($0 .== ByteView.deletes)
        } isHit: {
            isControl($0)
        }
    }

    /// Returns the index of the first byte in `start..<end` that a request target must not contain, or `end`: anything
    /// but visible ASCII, and `#`, because a fragment is never sent (RFC 9110 section 7.1).
    func firstNotInTarget(from start: Int, to end: Int) -> Int {
        firstHit(from: start, to: end) {
            ($0 .<= ByteView.spaces) .| ($0 .>= ByteView.deletes) .| ($0 .== ByteView.hashes)
        } isHit: {
            $0 &- 0x21 >= 0x5E || $0 == 0x23
        }
    }

    /// Returns the index of the first capital letter in `start..<end`, or `end`.
    func firstCapital(from start: Int, to end: Int) -> Int {
        firstHit(from: start, to: end) {
            ($0 &- Block(repeating: 0x41)) .< Block(repeating: 26)
        } isHit: {
            $0 &- 0x41 < 26
        }
    }

    /// Returns the index of the first byte in `start..<end` that is not a tchar, or `end`.
    @inline(__always)
    func endOfToken(from start: Int, to end: Int) -> Int {
        var index = start
        while index < end, isTokenByte(self[index]) { index &+= 1 }
        return index
    }

    /// Returns the range without SP and HTAB at both ends.
    @inline(__always)
    func trimmed(_ range: Range<Int>) -> Range<Int> {
        var start = range.lowerBound
        var end = range.upperBound
        while start < end, isBlank(self[start]) { start &+= 1 }
        while end > start, isBlank(self[end &- 1]) { end &-= 1 }
        return start..<end
    }

    /// True if the bytes at `start` are `text`, which ends at or before `end`.
    @inline(__always)
    func isEqual(_ text: StaticString, at start: Int, before end: Int) -> Bool {
        let wanted = text.utf8Start
        let count = text.utf8CodeUnitCount
        guard end &- start >= count else { return false }
        var index = 0
        while index < count {
            if self[start &+ index] != wanted[index] { return false }
            index &+= 1
        }
        return true
    }

    /// True if the bytes at `index` are CRLF, which ends at or before `end`.
    @inline(__always)
    func hasLineEnd(at index: Int, before end: Int) -> Bool {
        index &+ 2 <= end && self[index] == Ascii.carriageReturn && self[index &+ 1] == Ascii.lineFeed
    }

    /// True if the range is `text` in any case. `text` must be lower-case ASCII letters, digits and hyphens.
    @inline(__always)
    func matches(_ text: StaticString, at start: Int, count: Int) -> Bool {
        let wanted = text.utf8Start
        guard text.utf8CodeUnitCount == count else { return false }
        var index = 0
        while index < count {
            if lowercased(self[start &+ index]) != wanted[index] { return false }
            index &+= 1
        }
        return true
    }

    private static var spaces: Block { Block(repeating: Ascii.space) }
    private static var tabs: Block { Block(repeating: Ascii.tab) }
    private static var deletes: Block { Block(repeating: 0x7F) }
    private static var hashes: Block { Block(repeating: 0x23) }
}
