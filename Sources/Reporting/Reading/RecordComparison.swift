/// Goes through two lines of JSON, one of which is known to be a record.
///
/// The other is one, too, where all tokens are the same but for numbers of the same kind, and for texts of fields that take
/// any text.
struct RecordComparison {
    private let line: UnsafeBufferPointer<UInt8>
    private let known: UnsafeBufferPointer<UInt8>
    private var place = 0
    private var knownPlace = 0
    /// The string that was met last and was no value: that of the value behind it.
    private var key = 0..<0

    /// - Returns: false also where nobody can tell by this alone.
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
            // Without escapes any text is a string; it is UTF-8, since the line is a Swift string.
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

    /// - Parameter begin: of its first quotation mark.
    /// - Returns: what is between the marks; nil where it does not end.
    private static func inside(_ text: UnsafeBufferPointer<UInt8>, _ begin: Int) -> Range<Int>? {
        var end = begin + 1
        while end < text.count, text[end] != quotation { end += text[end] == backslash ? 2 : 1 }
        return end < text.count ? begin + 1..<end : nil
    }

    /// Keys whose value is a `String` or a `String?` wherever they stand in a record, and each load's own.
    private static let anyText: [StaticString] = ["id", "time", "address", "url", "redirectedFrom", "via"]

    // MARK: - Numbers

    private enum Kind {
        /// What `Int` and `Double` take.
        case whole
        /// What `Double` takes, and `Int` where the part behind the point is 0.
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

    /// nil for what has an exponent, a sign or too many digits, or is no number (RFC 8259 section 6).
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
/// Fewer than any `Int64` has too many of.
private let mostDigits = 18
