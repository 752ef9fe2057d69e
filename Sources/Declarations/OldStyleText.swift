import ATSPolicy

/// The property lists of NeXTSTEP, `{ key = value; }`, which `defaults read` prints. Source: Apple, CFOldStylePList.c.
///
/// `defaults read` prints a Boolean as 0 or 1, so these words are Booleans here. In a file of this format they would be
/// texts, which ATS ignores.
struct OldStyleText {
    private var cursor: LineCursor
    private let source: String
    private var depth = 0
    private var budget: DecodingBudget

    static func parse(
        _ bytes: [UInt8], source: String, within budget: inout DecodingBudget
    ) throws(DeclarationError) -> PropertyNode {
        var reader = OldStyleText(bytes: bytes, source: source, budget: budget)
        reader.skipBlanks()
        let isBare = reader.cursor.next != UInt8(ascii: "{")
        let root = isBare ? PropertyNode(.dictionary(try reader.members(end: nil)), line: 1) : try reader.value()
        reader.skipBlanks()
        guard reader.cursor.next == nil else { throw reader.failure("unexpected text after the last brace") }
        budget = reader.budget
        return root
    }

    private init(bytes: [UInt8], source: String, budget: DecodingBudget) {
        cursor = LineCursor(bytes)
        self.source = source
        self.budget = budget
    }

    private func failure(_ what: String) -> DeclarationError {
        DeclarationError(source: source, line: cursor.line, what: "old-style property list (key = value;): " + what)
    }

    private mutating func skipBlanks() {
        let rest = OldStyleList.skipped(cursor.rest)
        cursor.advance(rest.startIndex - cursor.position)
    }

    private mutating func value() throws(DeclarationError) -> PropertyNode {
        skipBlanks()
        depth += 1
        defer { depth -= 1 }
        guard depth < DeclarationLimits.depth else { throw failure("nested too deeply") }
        guard budget.charge(0) else { throw failure(DecodingBudget.exhausted) }
        let start = cursor.line
        switch cursor.next {
        case UInt8(ascii: "{"):
            if cursor.startsWith("{length") {
                // Data as newer systems print it: `{length = 4, bytes = 0x00000000}`.
                cursor.advance { $0 == UInt8(ascii: "}") }
                cursor.advance()
                return PropertyNode(.data([]), line: start)
            }
            cursor.advance()
            return PropertyNode(.dictionary(try members(end: UInt8(ascii: "}"))), line: start)
        case UInt8(ascii: "("):
            cursor.advance()
            return PropertyNode(.array(try items()), line: start)
        case UInt8(ascii: "<"):
            cursor.advance { $0 == UInt8(ascii: ">") }
            cursor.advance()
            return PropertyNode(.data([]), line: start)
        default:
            let isQuoted = cursor.next == UInt8(ascii: "\"")
            let text = try text()
            if !isQuoted, text == "0" || text == "1" { return PropertyNode(.boolean(text == "1"), line: start) }
            return PropertyNode(.string(text), line: start)
        }
    }

    private mutating func members(end: UInt8?) throws(DeclarationError) -> [PropertyMember] {
        var members: [PropertyMember] = []
        while true {
            skipBlanks()
            if cursor.next == end {
                cursor.advance()
                return members
            }
            guard cursor.next != nil else { throw failure("a closing brace is missing") }
            let keyLine = cursor.line
            let key = try text()
            skipBlanks()
            guard cursor.take(UInt8(ascii: "=")) else { throw failure("expected an equals sign after \(key)") }
            members.append(PropertyMember(key: key, keyLine: keyLine, node: try value()))
            skipBlanks()
            guard cursor.take(UInt8(ascii: ";")) else {
                throw failure("expected a semicolon after the value of \(key)")
            }
        }
    }

    private mutating func items() throws(DeclarationError) -> [PropertyNode] {
        var items: [PropertyNode] = []
        while true {
            skipBlanks()
            if cursor.take(UInt8(ascii: ")")) { return items }
            items.append(try value())
            skipBlanks()
            guard cursor.take(UInt8(ascii: ",")) || cursor.next == UInt8(ascii: ")") else {
                throw failure("expected a comma or a closing parenthesis")
            }
        }
    }

    private mutating func text() throws(DeclarationError) -> String {
        guard cursor.next == UInt8(ascii: "\"") else {
            let start = cursor.position
            cursor.advance { !OldStyleList.isNameByte($0) }
            guard cursor.position > start else { throw failure("expected a word or a quoted text") }
            return cursor.text(from: start)
        }
        cursor.advance()
        var content: [UInt8] = []
        while let byte = cursor.next, byte != UInt8(ascii: "\"") {
            cursor.advance()
            if byte == UInt8(ascii: "\\"), let escaped = cursor.next {
                cursor.advance()
                content.append(escaped == UInt8(ascii: "n") ? 0x0A : escaped)
            } else {
                content.append(byte)
            }
        }
        guard cursor.take(UInt8(ascii: "\"")) else { throw failure("a quoted text does not end") }
        guard budget.charge(content.count) else { throw failure(DecodingBudget.exhausted) }
        return String(decoding: content, as: UTF8.self)
    }
}
