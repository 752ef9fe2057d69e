/// Compares a line of JSON with one that is known to be a record.
///
/// The line is also a record if all tokens are equal. Numbers of the same kind may differ, and so may texts in fields
/// that accept any text.
struct RecordComparison {
    private let line: UnsafeBufferPointer<UInt8>
    private let known: UnsafeBufferPointer<UInt8>
    private var place = 0
    private var knownPlace = 0
    /// The last string that was not a value: the key of the next value.
    private var key = 0..<0

    /// - Returns: false also if this comparison cannot decide.
    static func isRecord(_ line: String, like known: String) -> Bool {
        var (line, known) = (line, known)
        return line.withUTF8 { line in
            known.withUTF8 { known in
                var comparison = RecordComparison(line: line, known: known)
                return comparison.isAlike()
            }
        }
    }

    private init(line: UnsafeBufferPointer<UInt8>, known: UnsafeBufferPointer<UInt8>) {
        self.line = line
        self.known = known
    }

    private mutating func isAlike() -> Bool {
        while place < line.count, knownPlace < known.count {
            switch line[place] {
            case quotation: guard isAlikeString() else { return false }
            case minus, zero...nine: guard isAlikeNumber() else { return false }
            default:
                guard line[place] == known[knownPlace] else { return false }
                place += 1
                knownPlace += 1
            }
        }
        return place == line.count && knownPlace == known.count
    }

    // MARK: - Strings

    private mutating func isAlikeString() -> Bool {
        guard known[knownPlace] == quotation, let string = Self.inside(line, place),
            let knownString = Self.inside(known, knownPlace)
        else { return false }
        let isValue = place > 0 && line[place - 1] == colon
        if !line[string].elementsEqual(known[knownString]) {
            // Any text without escapes is a valid string. It is UTF-8, since the line is a Swift string.
            let isPlain = line[string].allSatisfy { $0 >= space && $0 != backslash }
            guard isValue, takesAnyText, isPlain else { return false }
        }
        if !isValue { key = string }
        place = string.upperBound + 1
        knownPlace = knownString.upperBound + 1
        return true
    }

    private var takesAnyText: Bool {
        Self.anyText.contains { name in
            name.utf8CodeUnitCount == key.count
                && line[key].elementsEqual(UnsafeBufferPointer(start: name.utf8Start, count: key.count))
        }
    }

    /// - Parameter begin: the position of its first quotation mark.
    /// - Returns: the range between the marks; nil if the string does not end.
    private static func inside(_ text: UnsafeBufferPointer<UInt8>, _ begin: Int) -> Range<Int>? {
        var end = begin + 1
        while end < text.count, text[end] != quotation { end += text[end] == backslash ? 2 : 1 }
        return end < text.count ? begin + 1..<end : nil
    }

    /// Keys whose value is a `String` or a `String?` everywhere in a record, and differs between loads.
    private static let anyText: [StaticString] = ["id", "time", "address", "url", "redirectedFrom", "via"]

    // MARK: - Numbers

    private enum Kind {
        /// Valid for `Int` and `Double`.
        case whole
        /// Valid for `Double`, and for `Int` if the fraction is 0.
        case fraction(isWhole: Bool)
    }

    private mutating func isAlikeNumber() -> Bool {
        let number = Self.number(line, place)
        let knownNumber = Self.number(known, knownPlace)
        if !line[number].elementsEqual(known[knownNumber]) {
            switch (Self.kind(line[number]), Self.kind(known[knownNumber])) {
            case (.whole, .whole), (.fraction, .fraction(isWhole: false)): break
            default: return false
            }
        }
        (place, knownPlace) = (number.upperBound, knownNumber.upperBound)
        return true
    }

    private static func number(_ text: UnsafeBufferPointer<UInt8>, _ begin: Int) -> Range<Int> {
        let end = text[begin...].firstIndex { byte in
            switch byte {
            case zero...nine, minus, point, UInt8(ascii: "+"), UInt8(ascii: "e"), UInt8(ascii: "E"): false
            default: true
            }
        }
        return begin..<(end ?? text.count)
    }

    /// nil if it has an exponent, a sign or too many digits, or is not a number (RFC 8259 section 6).
    private static func kind(_ number: Slice<UnsafeBufferPointer<UInt8>>) -> Kind? {
        let parts = number.split(separator: point, maxSplits: 1, omittingEmptySubsequences: false)
        guard number.count <= mostDigits, parts.allSatisfy({ !$0.isEmpty && $0.allSatisfy((zero...nine).contains) }),
            let whole = parts.first, whole.count == 1 || whole.first != zero
        else { return nil }
        return parts.count == 1 ? .whole : .fraction(isWhole: parts[1].allSatisfy { $0 == zero })
    }
}

private let quotation = UInt8(ascii: "\"")
private let backslash = UInt8(ascii: "\\")
private let colon = UInt8(ascii: ":")
private let space = UInt8(ascii: " ")
private let minus = UInt8(ascii: "-")
private let point = UInt8(ascii: ".")
private let zero = UInt8(ascii: "0")
private let nine = UInt8(ascii: "9")
/// Every number with this many digits fits into `Int64`.
private let mostDigits = 18
