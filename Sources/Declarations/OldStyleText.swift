import ATSPolicy

/// The property lists of NeXTSTEP, `{ key = value; }`, which `defaults read` prints. Source: Apple, CFOldStylePList.c.
///
/// `defaults read` prints a Boolean as 0 or 1, so these words are Booleans here. In a file of this format they would be
/// texts, which ATS ignores.
struct OldStyleText {
    private let bytes: [UInt8]
    private let source: String
    private var position = 0
    private var line = 1
    private var depth = 0
    private var budget: DecodingBudget

    static func parse(
        _ bytes: [UInt8], source: String, within budget: inout DecodingBudget
    ) throws(DeclarationError) -> PropertyNode {
        var reader = OldStyleText(bytes: bytes, source: source, budget: budget)
        reader.skipBlanks()
        let isBare = reader.next != UInt8(ascii: "{")
        let root = isBare ? PropertyNode(.dictionary(try reader.members(end: nil)), line: 1) : try reader.value()
        reader.skipBlanks()
        guard reader.next == nil else { throw reader.failure("unexpected text after the last brace") }
        budget = reader.budget
        return root
    }

    private init(bytes: [UInt8], source: String, budget: DecodingBudget) {
        self.bytes = bytes
        self.source = source
        self.budget = budget
    }

    private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func advance() {
        guard position < bytes.count else { return }
        // CR without LF also ends a line.
        if bytes[position] == 0x0A
            || (bytes[position] == 0x0D && !(position + 1 < bytes.count && bytes[position + 1] == 0x0A))
        {
            line += 1
        }
        position += 1
    }

    private func failure(_ what: String) -> DeclarationError {
        DeclarationError(source: source, line: line, what: "old-style property list (key = value;): " + what)
    }

    private mutating func skipBlanks() {
        let rest = OldStyleList.skipped(bytes[position...])
        while position < rest.startIndex { advance() }
    }

    private mutating func value() throws(DeclarationError) -> PropertyNode {
        skipBlanks()
        depth += 1
        defer { depth -= 1 }
        guard depth < DeclarationLimits.depth else { throw failure("nested too deeply") }
        guard budget.charge(0) else { throw failure(DecodingBudget.exhausted) }
        let start = line
        switch next {
        case UInt8(ascii: "{"):
            if let data = data(after: "{length") { return PropertyNode(data, line: start) }
            advance()
            return PropertyNode(.dictionary(try members(end: UInt8(ascii: "}"))), line: start)
        case UInt8(ascii: "("):
            advance()
            return PropertyNode(.array(try items()), line: start)
        case UInt8(ascii: "<"):
            while let byte = next, byte != UInt8(ascii: ">") { advance() }
            advance()
            return PropertyNode(.data([]), line: start)
        default:
            let isQuoted = next == UInt8(ascii: "\"")
            let text = try text()
            if !isQuoted, text == "0" || text == "1" { return PropertyNode(.boolean(text == "1"), line: start) }
            return PropertyNode(.string(text), line: start)
        }
    }

    /// Data as newer systems print it: `{length = 4, bytes = 0x00000000}`.
    private mutating func data(after beginning: StaticString) -> PropertyValue? {
        let wanted = beginning.withUTF8Buffer { Array($0) }
        guard bytes[position...].starts(with: wanted) else { return nil }
        while let byte = next, byte != UInt8(ascii: "}") { advance() }
        advance()
        return .data([])
    }

    private mutating func members(end: UInt8?) throws(DeclarationError) -> [PropertyMember] {
        var members: [PropertyMember] = []
        while true {
            skipBlanks()
            if next == end {
                advance()
                return members
            }
            guard next != nil else { throw failure("a closing brace is missing") }
            let keyLine = line
            let key = try text()
            skipBlanks()
            guard next == UInt8(ascii: "=") else { throw failure("expected an equals sign after \(key)") }
            advance()
            members.append(PropertyMember(key: key, keyLine: keyLine, node: try value()))
            skipBlanks()
            guard next == UInt8(ascii: ";") else { throw failure("expected a semicolon after the value of \(key)") }
            advance()
        }
    }

    private mutating func items() throws(DeclarationError) -> [PropertyNode] {
        var items: [PropertyNode] = []
        while true {
            skipBlanks()
            if next == UInt8(ascii: ")") {
                advance()
                return items
            }
            items.append(try value())
            skipBlanks()
            if next == UInt8(ascii: ",") {
                advance()
            } else if next != UInt8(ascii: ")") {
                throw failure("expected a comma or a closing parenthesis")
            }
        }
    }

    private mutating func text() throws(DeclarationError) -> String {
        guard next == UInt8(ascii: "\"") else {
            let start = position
            while let byte = next, OldStyleList.isNameByte(byte) { advance() }
            guard position > start else { throw failure("expected a word or a quoted text") }
            return String(decoding: bytes[start..<position], as: UTF8.self)
        }
        advance()
        var content: [UInt8] = []
        while let byte = next, byte != UInt8(ascii: "\"") {
            advance()
            if byte == UInt8(ascii: "\\"), let escaped = next {
                advance()
                content.append(escaped == UInt8(ascii: "n") ? 0x0A : escaped)
            } else {
                content.append(byte)
            }
        }
        guard next != nil else { throw failure("a quoted text does not end") }
        advance()
        guard budget.charge(content.count) else { throw failure(DecodingBudget.exhausted) }
        return String(decoding: content, as: UTF8.self)
    }
}
