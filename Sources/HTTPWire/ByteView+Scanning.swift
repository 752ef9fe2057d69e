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

/// The bytes in the grammar of HTTP/1.
enum Ascii {
    static let tab: UInt8 = 0x09
    static let lineFeed: UInt8 = 0x0A
    static let carriageReturn: UInt8 = 0x0D
    static let space: UInt8 = 0x20
    static let asterisk: UInt8 = 0x2A
    static let comma: UInt8 = 0x2C
    static let slash: UInt8 = 0x2F
    static let zero: UInt8 = 0x30
    static let colon: UInt8 = 0x3A
    static let semicolon: UInt8 = 0x3B

    /// Returns `byte` repeated eight times.
    @inline(__always)
    static func spread(_ byte: UInt8) -> UInt64 { UInt64(byte) &* 0x0101_0101_0101_0101 }
}

/// A tchar (RFC 9110 section 5.6.2).
@inline(__always)
func isTokenByte(_ byte: UInt8) -> Bool {
    // One bit per character of ASCII: 0...63, then 64...127.
    let set: UInt64 = byte < 64 ? 0x03FF_6CFA_0000_0000 : 0x57FF_FFFF_C7FF_FFFE
    return byte < 128 && (set &>> UInt64(byte)) & 1 == 1
}

/// SP or HTAB: the OWS of RFC 9110 section 5.6.3.
@inline(__always)
func isBlank(_ byte: UInt8) -> Bool { byte == Ascii.space || byte == Ascii.tab }

/// True for bytes that a lenient server treats as a space or ignores: CR, LF, SP, HTAB, VT and FF (RFC 9112 sections
/// 2.2 and 3), and the others that Python's `str.split()` splits at when it reads a line as ISO 8859-1.
func isLenientBlank(_ byte: UInt8) -> Bool {
    (0x09...0x0D).contains(byte) || (0x1C...Ascii.space).contains(byte) || byte == 0x85 || byte == 0xA0
}

/// True for control characters that a field value must not contain (RFC 9110 section 5.5): any but HTAB.
@inline(__always)
func isControl(_ byte: UInt8) -> Bool { (byte < 0x20 && byte != Ascii.tab) || byte == 0x7F }

/// The value of a decimal digit.
@inline(__always)
func decimalValue(_ byte: UInt8) -> UInt8? {
    let value = byte &- Ascii.zero
    return value < 10 ? value : nil
}

/// The value of a hexadecimal digit.
@inline(__always)
func hexadecimalValue(_ byte: UInt8) -> UInt8? {
    if let value = decimalValue(byte) { return value }
    let value = (byte | 0x20) &- 0x61
    return value < 6 ? value &+ 10 : nil
}

/// Returns `byte` in lower case if it is an ASCII capital.
@inline(__always)
func lowercased(_ byte: UInt8) -> UInt8 { byte &- 0x41 < 26 ? byte | 0x20 : byte }
