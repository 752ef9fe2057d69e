extension ByteView {
    /// The first `byte` in `start..<end`, or `end`.
    @inline(__always)
    func first(_ byte: UInt8, from start: Int, to end: Int) -> Int {
        firstHit(from: start, to: end) {
            zeroBytes($0 ^ Ascii.spread(byte))
        } isHit: {
            $0 == byte
        }
    }

    /// The first control character other than HTAB in `start..<end`, or `end`. Bytes above 0x7F count as text.
    func firstControl(from start: Int, to end: Int) -> Int {
        firstHit(from: start, to: end) {
            bytesBelow(0x20, in: $0) | zeroBytes($0 ^ Ascii.spread(0x7F))
        } isHit: {
            isControl($0)
        }
    }

    /// The first byte in `start..<end` that a request target can not have, or `end`: anything but visible ASCII, and
    /// `#`, since a fragment is never sent (RFC 9110 section 7.1).
    func firstNotInTarget(from start: Int, to end: Int) -> Int {
        firstHit(from: start, to: end) {
            bytesBelow(0x21, in: $0) | zeroBytes($0 ^ Ascii.spread(0x7F)) | zeroBytes($0 ^ Ascii.spread(0x23))
                | $0 & Ascii.spread(0x80)
        } isHit: {
            $0 &- 0x21 >= 0x5E || $0 == 0x23
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
    ///
    /// 0x20 is the case bit of letters; digits and the hyphen have it set already. The bytes that it would turn into
    /// one of those are control characters, which the ranges looked at do not have.
    @inline(__always)
    func matches(_ text: StaticString, at start: Int, count: Int) -> Bool {
        let wanted = text.utf8Start
        guard text.utf8CodeUnitCount == count else { return false }
        var index = 0
        while index < count {
            if self[start &+ index] | 0x20 != wanted[index] { return false }
            index &+= 1
        }
        return true
    }
}

/// High bit set in each byte of `word` that is zero. A borrow may mark bytes above a zero one too.
@inline(__always)
private func zeroBytes(_ word: UInt64) -> UInt64 { (word &- Ascii.spread(1)) & ~word & Ascii.spread(0x80) }

/// High bit set in each byte of `word` that is less than `limit` (at most 0x80), perhaps in some above them.
@inline(__always)
private func bytesBelow(_ limit: UInt8, in word: UInt64) -> UInt64 {
    (word &- Ascii.spread(limit)) & ~word & Ascii.spread(0x80)
}
