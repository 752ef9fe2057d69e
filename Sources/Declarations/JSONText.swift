import ATSPolicy

/// A strict JSON reader (RFC 8259) that keeps lines, order and repeated keys, and distinguishes 1 from true.
struct JSONText {
    private var cursor: LineCursor
    private let source: String
    private var path: [String] = []
    private var budget: DecodingBudget

    /// - Throws: for the first deviation from the grammar, and for `null`.
    static func parse(
        _ bytes: [UInt8], source: String, within budget: inout DecodingBudget
    ) throws(DeclarationError) -> PropertyNode {
        var text = JSONText(bytes: bytes, source: source, budget: budget)
        text.skipBlank()
        let root = try text.value()
        text.skipBlank()
        guard text.cursor.next == nil else { throw text.failure("unexpected text after the JSON value") }
        budget = text.budget
        return root
    }

    private init(bytes: [UInt8], source: String, budget: DecodingBudget) {
        cursor = LineCursor(bytes)
        self.source = source
        self.budget = budget
    }

    private mutating func skipBlank() {
        cursor.advance { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
    }

    private mutating func value() throws(DeclarationError) -> PropertyNode {
        guard path.count < DeclarationLimits.depth else { throw failure("nested too deeply") }
        guard budget.charge(0) else { throw failure(DecodingBudget.exhausted) }
        let start = cursor.line
        switch cursor.next {
        case UInt8(ascii: "{"): return PropertyNode(.dictionary(try members()), line: start)
        case UInt8(ascii: "["): return PropertyNode(.array(try elements()), line: start)
        case UInt8(ascii: "\""): return PropertyNode(.string(try string()), line: start)
        case UInt8(ascii: "t"): return PropertyNode(try word("true", .boolean(true)), line: start)
        case UInt8(ascii: "f"): return PropertyNode(try word("false", .boolean(false)), line: start)
        case UInt8(ascii: "n"): throw failure("null is not a property list value")
        case UInt8(ascii: "-"), (UInt8(ascii: "0")...UInt8(ascii: "9"))?: return PropertyNode(try number(), line: start)
        case nil: throw failure("the JSON ends too early")
        case .some: throw failure("expected a JSON value")
        }
    }

    private mutating func members() throws(DeclarationError) -> [PropertyMember] {
        var members: [PropertyMember] = []
        cursor.advance()
        skipBlank()
        if cursor.take(UInt8(ascii: "}")) { return members }
        while true {
            skipBlank()
            let keyLine = cursor.line
            guard cursor.next == UInt8(ascii: "\"") else { throw failure(ending: "expected a key in double quotes") }
            let key = try string()
            path.append(key)
            skipBlank()
            guard cursor.take(UInt8(ascii: ":")) else { throw failure(ending: "expected a colon") }
            skipBlank()
            members.append(PropertyMember(key: key, keyLine: keyLine, node: try value()))
            path.removeLast()
            skipBlank()
            if cursor.take(UInt8(ascii: "}")) { return members }
            guard cursor.take(UInt8(ascii: ",")) else { throw failure(ending: "expected a comma or a closing brace") }
        }
    }

    private mutating func elements() throws(DeclarationError) -> [PropertyNode] {
        var nodes: [PropertyNode] = []
        cursor.advance()
        skipBlank()
        if cursor.take(UInt8(ascii: "]")) { return nodes }
        while true {
            path.append("\(nodes.count)")
            skipBlank()
            nodes.append(try value())
            path.removeLast()
            skipBlank()
            if cursor.take(UInt8(ascii: "]")) { return nodes }
            guard cursor.take(UInt8(ascii: ",")) else { throw failure(ending: "expected a comma or a closing bracket") }
        }
    }

    private mutating func word(_ text: StaticString, _ value: PropertyValue) throws(DeclarationError) -> PropertyValue {
        guard cursor.startsWith(text) else { throw failure("expected a JSON value") }
        cursor.advance(text.utf8CodeUnitCount)
        return value
    }

    private mutating func number() throws(DeclarationError) -> PropertyValue {
        let start = cursor.position
        _ = cursor.take(UInt8(ascii: "-"))
        let whole = digits()
        guard whole > 0, whole == 1 || cursor.source[cursor.position - whole] != UInt8(ascii: "0") else {
            throw failure("invalid number")
        }
        var isWhole = true
        if cursor.take(UInt8(ascii: ".")) {
            isWhole = false
            guard digits() > 0 else { throw failure("invalid number") }
        }
        if cursor.take(UInt8(ascii: "e")) || cursor.take(UInt8(ascii: "E")) {
            isWhole = false
            if !cursor.take(UInt8(ascii: "+")) { _ = cursor.take(UInt8(ascii: "-")) }
            guard digits() > 0 else { throw failure("invalid number") }
        }
        let text = cursor.text(from: start)
        if isWhole, let value = Int64(text) { return .integer(value) }
        guard let value = Double(text), value.isFinite else { throw failure("number out of range") }
        return .real(value)
    }

    private mutating func digits() -> Int {
        let start = cursor.position
        cursor.advance { !(UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0) }
        return cursor.position - start
    }
}

// MARK: - Strings and errors

extension JSONText {
    private mutating func string() throws(DeclarationError) -> String {
        cursor.advance()
        var content: [UInt8] = []
        while let byte = cursor.next {
            guard byte >= 0x20 else { throw failure("a line break or control character in a string") }
            cursor.advance()
            switch byte {
            case UInt8(ascii: "\""):
                guard let text = String(validating: content, as: UTF8.self) else {
                    throw failure("a string is not UTF-8")
                }
                guard budget.charge(content.count) else { throw failure(DecodingBudget.exhausted) }
                return text
            case UInt8(ascii: "\\"): try escape(into: &content)
            default: content.append(byte)
            }
        }
        throw failure("the JSON ends too early, in a string")
    }

    private mutating func escape(into content: inout [UInt8]) throws(DeclarationError) {
        guard let letter = cursor.next else { throw failure("the JSON ends too early, in a string") }
        cursor.advance()
        switch letter {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): content.append(letter)
        case UInt8(ascii: "b"): content.append(0x08)
        case UInt8(ascii: "f"): content.append(0x0C)
        case UInt8(ascii: "n"): content.append(0x0A)
        case UInt8(ascii: "r"): content.append(0x0D)
        case UInt8(ascii: "t"): content.append(0x09)
        case UInt8(ascii: "u"): content += Array(String(try unicodeScalar()).utf8)
        default: throw failure("an unknown escape in a string")
        }
    }

    /// Reads the digits after `\u`; a surrogate needs its other half (RFC 8259 section 7).
    private mutating func unicodeScalar() throws(DeclarationError) -> Unicode.Scalar {
        let first = try hexadecimalUnit()
        if let scalar = Unicode.Scalar(first) { return scalar }
        guard first < 0xDC00, cursor.take(UInt8(ascii: "\\")), cursor.take(UInt8(ascii: "u")) else {
            throw failure("an unpaired surrogate in a string")
        }
        let second = try hexadecimalUnit()
        guard 0xDC00...0xDFFF ~= second,
            let scalar = Unicode.Scalar(0x1_0000 + (UInt32(first) - 0xD800) << 10 + UInt32(second) - 0xDC00)
        else { throw failure("an unpaired surrogate in a string") }
        return scalar
    }

    private mutating func hexadecimalUnit() throws(DeclarationError) -> UInt16 {
        let text = cursor.rest.prefix(4)
        guard text.count == 4, text.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }),
            let unit = UInt16(String(decoding: text, as: UTF8.self), radix: 16)
        else { throw failure("expected four hexadecimal digits after \\u") }
        cursor.advance(4)
        return unit
    }

    private func failure(ending what: String) -> DeclarationError {
        failure(cursor.next == nil ? "the JSON ends too early" : what)
    }

    private func failure(_ what: String) -> DeclarationError {
        DeclarationError(
            source: source, keyPath: path.isEmpty ? nil : path.joined(separator: "."), line: cursor.line, what: what)
    }
}
