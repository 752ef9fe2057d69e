/// Appends JSON (RFC 8259) to bytes. Written by hand, because it formats every load, at tens of thousands per second.
///
/// The caller writes the punctuation of objects. Use ``JSONValue`` for output that is not performance-critical.
public struct JSONWriter: Sendable {
    /// The output so far.
    public var bytes: [UInt8] = []

    public init() {}

    /// Appends text that is already JSON.
    @inlinable
    public mutating func raw(_ text: StaticString) {
        text.withUTF8Buffer { bytes.append(contentsOf: $0) }
    }

    /// Appends a JSON string. Escapes quote, backslash and U+0000 to U+001F, as RFC 8259 section 7 requires, and more
    /// characters that terminals or line readers may obey: the C1 controls U+0080 to U+009F (ECMA-48), and the line ends
    /// U+2028 and U+2029 (Unicode Standard section 5.8).
    public mutating func text(_ value: String) {
        bytes.append(quote)
        unquoted(value)
        bytes.append(quote)
    }

    /// Appends the contents of a JSON string; the caller writes the quotes.
    public mutating func unquoted(_ value: String) {
        var value = value
        value.withUTF8 { escape($0) }
    }

    /// Appends a list; `write` writes one element.
    @inlinable
    public mutating func list<Element>(_ values: [Element], write: (inout JSONWriter, Element) -> Void) {
        bytes.append(UInt8(ascii: "["))
        var isFirst = true
        for value in values {
            if !isFirst { bytes.append(UInt8(ascii: ",")) }
            isFirst = false
            write(&self, value)
        }
        bytes.append(UInt8(ascii: "]"))
    }

    /// Appends `true` or `false`.
    @inlinable
    public mutating func flag(_ value: Bool) {
        raw(value ? "true" : "false")
    }

    /// Appends a whole number.
    public mutating func number(_ value: Int64) {
        shortText { $0.number(value) }
    }

    /// Appends microseconds as milliseconds with three decimals, or `null`. A negative duration counts as 0.
    public mutating func milliseconds(_ microseconds: Int64?) {
        guard let microseconds else { return raw("null") }
        let span = max(microseconds, 0)
        shortText {
            $0.number(span / 1000)
            $0.byte(UInt8(ascii: "."))
            $0.digits(UInt64(span % 1000), count: 3)
        }
    }

    /// Appends the output of `write`, at most 32 bytes, in one step: each append costs more than the formatting.
    @inlinable
    public mutating func shortText(_ write: (inout ShortText) -> Void) {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: ShortText.limit) { room in
            var text = ShortText(room)
            write(&text)
            bytes.append(contentsOf: UnsafeBufferPointer(text.written))
        }
    }

    private mutating func escape(_ text: UnsafeBufferPointer<UInt8>) {
        var start = 0
        while start < text.count {
            let end = plainEnd(of: UnsafeRawBufferPointer(text), from: start)
            // Slices use a slower generic path: 140 instructions instead of 55 (callgrind).
            bytes.append(contentsOf: UnsafeBufferPointer(rebasing: text[start..<end]))
            guard end < text.count else { return }
            start = end + escape(at: end, of: text)
        }
    }

    /// - Returns: the number of bytes that were escaped.
    private mutating func escape(at index: Int, of text: UnsafeBufferPointer<UInt8>) -> Int {
        switch text[index] {
        case controlLead:
            escape(text[index + 1])
            return 2
        case separatorLead:
            raw(text[index + 2] == lineSeparatorEnd ? #"\u2028"# : #"\u2029"#)
            return 3
        case let byte:
            escape(byte)
            return 1
        }
    }

    private mutating func escape(_ byte: UInt8) {
        switch byte {
        case quote: raw(#"\""#)
        case backslash: raw(#"\\"#)
        case 0x0A: raw(#"\n"#)
        case 0x0D: raw(#"\r"#)
        case 0x09: raw(#"\t"#)
        default:
            raw(#"\u00"#)
            bytes.append(hexDigit(byte >> 4))
            bytes.append(hexDigit(byte & 0xF))
        }
    }

    private func hexDigit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + (value - 10)
    }

    /// Returns the index of the first byte that needs an escape. Checks eight bytes of ASCII at a time, because most
    /// text needs none. Unchecked by Swift: each index is compared with `count`.
    private func plainEnd(of text: UnsafeRawBufferPointer, from start: Int) -> Int {
        var index = start
        while index + 8 <= text.count {
            let word = text.loadUnaligned(fromByteOffset: index, as: UInt64.self)
            if hasSpecialByte(word) { break }
            index += 8
        }
        while index < text.count {
            let byte = text[index]
            if byte < 0x20 || byte == quote || byte == backslash { break }
            if byte >= 0x80, isSpecial(at: index, of: text) { break }
            index += 1
        }
        return index
    }

    /// True for a control or line end outside ASCII. U+0080 to U+009F are C2 80 to C2 9F in UTF-8, U+2028 and U+2029 are
    /// E2 80 A8 and E2 80 A9.
    /// Unchecked by Swift: the caller compared `index` with `count`, and others are compared here.
    private func isSpecial(at index: Int, of text: UnsafeRawBufferPointer) -> Bool {
        switch text[index] {
        case controlLead: index + 1 < text.count && text[index + 1] < 0xA0
        case separatorLead:
            index + 2 < text.count && text[index + 1] == 0x80 && text[index + 2] | 1 == lineSeparatorEnd | 1
        default: false
        }
    }

    /// The usual bit test for "some byte is zero", for three kinds of byte at the same time, and for any byte that is
    /// not ASCII. It may return false positives, but no false negatives.
    private func hasSpecialByte(_ word: UInt64) -> Bool {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let quotes = word ^ (ones &* UInt64(quote))
        let backslashes = word ^ (ones &* UInt64(backslash))
        let below = (word &- ones &* 0x20) & ~word
        let zeros = ((quotes &- ones) & ~quotes) | ((backslashes &- ones) & ~backslashes)
        return (below | zeros | word) & (ones &* 0x80) != 0
    }
}

private let quote = UInt8(ascii: "\"")
private let backslash = UInt8(ascii: "\\")
private let controlLead: UInt8 = 0xC2
private let separatorLead: UInt8 = 0xE2
private let lineSeparatorEnd: UInt8 = 0xA8

/// A number or a time to be written as JSON, in its own memory: at most ``limit`` bytes, which the writer must not
/// exceed.
public struct ShortText {
    @usableFromInline let room: UnsafeMutableBufferPointer<UInt8>
    @usableFromInline var count = 0

    /// Capacity in bytes: the longest text is a duration of 20 characters or a quoted time of 26.
    public static let limit = 32

    /// - Parameter room: memory for ``limit`` bytes.
    @inlinable
    init(_ room: UnsafeMutableBufferPointer<UInt8>) {
        self.room = room
    }

    @inlinable var written: UnsafeMutableBufferPointer<UInt8> { UnsafeMutableBufferPointer(rebasing: room[..<count]) }

    @inlinable
    public mutating func byte(_ byte: UInt8) {
        room.initializeElement(at: count, to: byte)
        count += 1
    }

    /// Writes a whole number.
    @inlinable
    public mutating func number(_ value: Int64) {
        if value < 0 { byte(UInt8(ascii: "-")) }
        let magnitude = value.magnitude
        var length = 1
        var limit: UInt64 = 10
        while length < 20, magnitude >= limit {
            length += 1
            limit &*= 10
        }
        digits(magnitude, count: length)
    }

    /// Writes exactly `length` decimal digits with leading zeros; higher digits are dropped.
    @inlinable
    public mutating func digits(_ value: UInt64, count length: Int) {
        var rest = value
        var index = count + length
        while index > count {
            index -= 1
            let (quotient, digit) = (rest / 10, rest % 10)
            room.initializeElement(at: index, to: UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: digit))
            rest = quotient
        }
        count += length
    }
}
