extension ByteView {
    /// The first `byte` in `start..<end`, or `end`.
    @inline(__always)
    func first(_ byte: UInt8, from start: Int, to end: Int) -> Int {
        firstHit(from: start, to: end) {
            $0 .== ByteView.Block(repeating: byte)
        } isHit: {
            $0 == byte
        }
    }

    /// The first control character other than HTAB in `start..<end`, or `end`. Bytes above 0x7F count as text.
    func firstControl(from start: Int, to end: Int) -> Int {
        firstHit(from: start, to: end) {
            (($0 .< ByteView.spaces) .& ($0 .!= ByteView.tabs)) .| ($0 .== ByteView.deletes)
        } isHit: {
            isControl($0)
        }
    }

    /// The first byte in `start..<end` that a request target can not have, or `end`: anything but visible ASCII, and
    /// `#`, since a fragment is never sent (RFC 9110 section 7.1).
    func firstNotInTarget(from start: Int, to end: Int) -> Int {
        firstHit(from: start, to: end) {
            ($0 .<= ByteView.spaces) .| ($0 .>= ByteView.deletes) .| ($0 .== ByteView.hashes)
        } isHit: {
            $0 &- 0x21 >= 0x5E || $0 == 0x23
        }
    }

    /// The first capital letter in `start..<end`, or `end`.
    func firstCapital(from start: Int, to end: Int) -> Int {
        firstHit(from: start, to: end) {
            ($0 &- Block(repeating: 0x41)) .< Block(repeating: 26)
        } isHit: {
            $0 &- 0x41 < 26
        }
    }

    /// The first byte in `start..<end` that is no tchar, or `end`.
    @inline(__always)
    func endOfToken(from start: Int, to end: Int) -> Int {
        var index = start
        while index < end, isTokenByte(self[index]) { index &+= 1 }
        return index
    }

    /// The range without SP and HTAB at both ends.
    @inline(__always)
    func trimmed(_ range: Range<Int>) -> Range<Int> {
        var start = range.lowerBound
        var end = range.upperBound
        while start < end, isBlank(self[start]) { start &+= 1 }
        while end > start, isBlank(self[end &- 1]) { end &-= 1 }
        return start..<end
    }

    /// True when exactly `text` stands at `start` and ends at or before `end`.
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

    /// True when CRLF stands at `index` and ends at or before `end`.
    @inline(__always)
    func hasLineEnd(at index: Int, before end: Int) -> Bool {
        index &+ 2 <= end && self[index] == Ascii.carriageReturn && self[index &+ 1] == Ascii.lineFeed
    }

    /// True when the range is `text` in any case. `text` must be lower-case ASCII letters, digits and hyphens.
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
