import Foundation

/// Bytes of a log, valid only while the function that provides them is running.
///
/// Logs are read as bytes: most lines are not about a load, and a String for each would dominate the cost.
struct LogText {
    let bytes: UnsafeRawBufferPointer

    init(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
    }

    var count: Int { bytes.count }
    var isEmpty: Bool { bytes.isEmpty }

    /// 0 if the place is out of bounds, so that a scan past the end finds nothing. Unchecked elsewhere, so it compares.
    subscript(place: Int) -> UInt8 {
        place >= 0 && place < bytes.count ? bytes[place] : 0
    }

    /// A part, clamped to the bounds; empty if the end comes before the start. Takes two offsets, because a `Range` of
    /// untrusted offsets traps if they are in the wrong order. Unchecked elsewhere, so it clamps.
    subscript(start: Int, end: Int) -> LogText {
        let first = max(0, min(start, count))
        let last = max(first, min(end, count))
        return LogText(UnsafeRawBufferPointer(rebasing: bytes[first..<last]))
    }

    subscript(range: Range<Int>) -> LogText { self[range.lowerBound, range.upperBound] }

    func from(_ place: Int) -> LogText { self[place, count] }

    /// The text, with invalid UTF-8 replaced.
    var string: String { String(decoding: bytes, as: UTF8.self) }

    /// The first `limit` bytes, without a partial character at their end.
    func string(upTo limit: Int) -> String {
        guard count > limit else { return string }
        var end = limit
        while end > 0, self[end] & 0xC0 == 0x80, limit - end < 3 { end -= 1 }
        return self[0, end].string
    }

    // MARK: - Finding

    /// The place of `needle`, at or after `start`.
    func find(_ needle: StaticString, from start: Int = 0) -> Int? {
        let size = needle.utf8CodeUnitCount
        guard size > 0, start >= 0, count - start >= size, let base = bytes.baseAddress else { return nil }
        let last = count - size
        var place = start
        while place <= last, let hit = memchr(base + place, Int32(needle.utf8Start[0]), last - place + 1) {
            let found = base.distance(to: UnsafeRawPointer(hit))
            if memcmp(hit, needle.utf8Start, size) == 0 { return found }
            place = found + 1
        }
        return nil
    }

    /// The place after `needle`.
    func after(_ needle: StaticString, from start: Int = 0) -> Int? {
        find(needle, from: start).map { $0 + needle.utf8CodeUnitCount }
    }

    func contains(_ needle: StaticString) -> Bool { find(needle) != nil }

    func find(_ byte: UInt8, from start: Int = 0, upTo limit: Int = .max) -> Int? {
        let end = min(count, limit)
        guard start >= 0, start < end, let base = bytes.baseAddress,
            let hit = memchr(base + start, Int32(byte), end - start)
        else { return nil }
        return base.distance(to: UnsafeRawPointer(hit))
    }

    func has(_ word: StaticString, at place: Int = 0) -> Bool {
        let size = word.utf8CodeUnitCount
        guard place >= 0, count - place >= size, let base = bytes.baseAddress else { return false }
        return memcmp(base + place, word.utf8Start, size) == 0
    }

    func hasSuffix(_ word: StaticString) -> Bool { has(word, at: count - word.utf8CodeUnitCount) }

    // MARK: - Words and numbers

    /// Returns the first place at or after `start` whose byte is not blank.
    func skipBlanks(_ start: Int) -> Int {
        var place = start
        while place < count, self[place].isBlank { place += 1 }
        return place
    }

    /// The text without blanks at both ends.
    var trimmed: LogText {
        let start = skipBlanks(0)
        var end = count
        while end > start, self[end - 1].isBlank { end -= 1 }
        return self[start, end]
    }

    /// Returns the end of the bytes from `start` on that `isMember` accepts, at most `limit` of them.
    func end(from start: Int, limit: Int = .max, where isMember: (UInt8) -> Bool) -> Int {
        let last = limit < count - start ? start + limit : count
        var place = start
        while place < last, isMember(self[place]) { place += 1 }
        return place
    }

    /// Returns a number of up to nine digits, with or without a minus; nil if there is none, or if it is longer.
    func number(at start: Int) -> Int? {
        var place = start
        let isNegative = self[place] == UInt8(ascii: "-")
        if isNegative { place += 1 }
        let end = self.end(from: place) { $0.isDigit }
        guard end > place, end - place <= 9 else { return nil }
        var value = 0
        for index in place..<end { value = value * 10 + Int(self[index] - UInt8(ascii: "0")) }
        return isNegative ? -value : value
    }

    /// The number that follows `word`.
    func number(after word: StaticString) -> Int? {
        after(word).flatMap { number(at: $0) }
    }
}

extension UInt8 {
    var isDigit: Bool { self &- UInt8(ascii: "0") < 10 }
    var isBlank: Bool { self == 0x20 || self == 0x09 || self == 0x0A || self == 0x0D }
    var isLetter: Bool { (self | 0x20) &- UInt8(ascii: "a") < 26 }
    var isHexadecimal: Bool { isDigit || (self | 0x20) &- UInt8(ascii: "a") < 6 }
}

extension Range where Bound == Int {
    /// A range between untrusted offsets: empty if the end comes before the start.
    init(from start: Int, to end: Int) {
        self = start..<Swift.max(start, end)
    }
}
