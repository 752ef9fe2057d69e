/// Reads JSON (RFC 8259) in pieces: a HAR file may have hundreds of megabytes on one line.
///
/// Delivers containers and scalars with their key. The length of strings and the depth of nesting are limited, and
/// invalid JSON ends the reading.
struct JSONTokens {
    enum Event {
        case begin(isObject: Bool)
        case end
        /// A string without its escapes, or a number, `true`, `false` or `null` as written.
        case scalar([UInt8], isString: Bool)
    }

    enum State {
        case reading
        /// The outermost value is complete.
        case complete
        case malformed
    }

    private(set) var state = State.reading
    /// The key of the event in the innermost object; empty in an array.
    private(set) var key: [UInt8] = []
    /// The number of open containers: before a `begin` event, and after an `end` event.
    var depth: Int { stack.count }

    private var stack: [Frame] = []
    private var place = Position.value
    private var text: [UInt8] = []
    private let stringLimit: Int

    private struct Frame {
        let isObject: Bool
        let key: [UInt8]
    }

    private enum Position {
        case value, firstKeyOrEnd, key, colon, commaOrEnd, string(isKey: Bool), escape(isKey: Bool)
        case unicode(isKey: Bool, digits: Int, value: UInt16), literal
    }

    private var highSurrogate: UInt16 = 0

    init(stringLimit: Int) {
        self.stringLimit = stringLimit
    }

    /// Reads bytes, and returns the end of the complete value in them.
    mutating func feed(_ bytes: LogText, _ each: (inout JSONTokens, Event) -> Void) -> Int {
        var index = 0
        while index < bytes.count, case .reading = state {
            if case .string(let isKey) = place {
                index = take(bytes, from: index, isKey, each)
            } else if step(bytes[index], each) {
                index += 1
            }
        }
        return index
    }

    /// Reads the plain part of a string in one step.
    private mutating func take(
        _ bytes: LogText, from start: Int, _ isKey: Bool, _ each: (inout JSONTokens, Event) -> Void
    ) -> Int {
        let end = bytes.end(from: start) { $0 != quote && $0 != backslash && $0 != lineFeed }
        let room = stringLimit - text.count
        if room > 0, end > start { text.append(contentsOf: bytes[start..<min(end, start + room)].bytes) }
        guard end < bytes.count else { return end }
        switch bytes[end] {
        case quote:
            if isKey {
                key = text
                place = .colon
            } else {
                scalar(isString: true, each)
            }
        case backslash: place = .escape(isKey: isKey)
        default: state = .malformed
        }
        return end + 1
    }

    /// Returns true if the byte was consumed; the byte after a number or a word is read again.
    private mutating func step(_ byte: UInt8, _ each: (inout JSONTokens, Event) -> Void) -> Bool {
        switch place {
        case .literal:
            guard byte.isLetter || byte.isDigit || [0x2B, 0x2D, 0x2E].contains(byte) else {
                scalar(isString: false, each)
                return false
            }
            if text.count < literalLimit { text.append(byte) } else { state = .malformed }
        case .escape(let isKey): escape(byte, isKey)
        case .unicode(let isKey, let digits, let value): unicode(byte, isKey, digits, value)
        case _ where byte.isBlank: break
        case .value: value(byte, each)
        case .colon: if byte == UInt8(ascii: ":") { place = .value } else { state = .malformed }
        case .firstKeyOrEnd where byte == UInt8(ascii: "}"): end(each)
        case .firstKeyOrEnd, .key:
            text.removeAll(keepingCapacity: true)
            if byte == quote { place = .string(isKey: true) } else { state = .malformed }
        case .commaOrEnd: commaOrEnd(byte, each)
        case .string: break
        }
        return true
    }

    private mutating func value(_ byte: UInt8, _ each: (inout JSONTokens, Event) -> Void) {
        text.removeAll(keepingCapacity: true)
        switch byte {
        case UInt8(ascii: "{"), UInt8(ascii: "["): begin(isObject: byte == UInt8(ascii: "{"), each)
        case quote: place = .string(isKey: false)
        case UInt8(ascii: "]") where stack.last?.isObject == false: end(each)
        case _ where byte.isLetter || byte.isDigit || byte == 0x2D:
            text.append(byte)
            place = .literal
        default: state = .malformed
        }
    }

    private mutating func commaOrEnd(_ byte: UInt8, _ each: (inout JSONTokens, Event) -> Void) {
        let isObject = stack.last?.isObject == true
        switch byte {
        case UInt8(ascii: ","): place = isObject ? .key : .value
        case UInt8(ascii: "}") where isObject, UInt8(ascii: "]") where !isObject: end(each)
        default: state = .malformed
        }
    }

    private mutating func begin(isObject: Bool, _ each: (inout JSONTokens, Event) -> Void) {
        guard stack.count < depthLimit else {
            state = .malformed
            return
        }
        each(&self, .begin(isObject: isObject))
        stack.append(Frame(isObject: isObject, key: key))
        if !isObject { key = [] }
        place = isObject ? .firstKeyOrEnd : .value
    }

    private mutating func end(_ each: (inout JSONTokens, Event) -> Void) {
        guard let frame = stack.popLast() else {
            state = .malformed
            return
        }
        key = frame.key
        each(&self, .end)
        after()
    }

    private mutating func scalar(isString: Bool, _ each: (inout JSONTokens, Event) -> Void) {
        each(&self, .scalar(text, isString: isString))
        after()
    }

    private mutating func after() {
        if stack.isEmpty { state = .complete }
        if stack.last?.isObject == false { key = [] }
        place = .commaOrEnd
    }

    // MARK: - Escapes

    private mutating func escape(_ byte: UInt8, _ isKey: Bool) {
        place = .string(isKey: isKey)
        switch byte {
        case UInt8(ascii: "n"): add(0x0A)
        case UInt8(ascii: "t"): add(0x09)
        case UInt8(ascii: "r"): add(0x0D)
        case UInt8(ascii: "b"): add(0x08)
        case UInt8(ascii: "f"): add(0x0C)
        case UInt8(ascii: "u"): place = .unicode(isKey: isKey, digits: 0, value: 0)
        default: add(byte)
        }
    }

    private mutating func add(_ byte: UInt8) {
        if text.count < stringLimit { text.append(byte) }
    }

    private mutating func unicode(_ byte: UInt8, _ isKey: Bool, _ digits: Int, _ value: UInt16) {
        guard byte.isHexadecimal else {
            state = .malformed
            return
        }
        let value = value << 4 | UInt16(byte.isDigit ? byte - 48 : (byte | 0x20) - 87)
        guard digits == 3 else {
            place = .unicode(isKey: isKey, digits: digits + 1, value: value)
            return
        }
        place = .string(isKey: isKey)
        if UTF16.isLeadSurrogate(value) {
            highSurrogate = value
        } else {
            let units = UTF16.isTrailSurrogate(value) && highSurrogate != 0 ? [highSurrogate, value] : [value]
            highSurrogate = 0
            for byte in String(decoding: units, as: UTF16.self).utf8 { add(byte) }
        }
    }
}

private let quote = UInt8(ascii: "\"")
private let backslash = UInt8(ascii: "\\")
private let lineFeed: UInt8 = 0x0A
private let depthLimit = 64
private let literalLimit = 64
