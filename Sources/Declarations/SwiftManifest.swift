import ATSPolicy

/// Finds dictionary literals for `NSAppTransportSecurity` in a manifest of Tuist, which is a Swift program. The program
/// is not run, so a value that is not a literal is an error. Source: Tuist documentation, InfoPlist and Plist.Value.
struct SwiftManifest {
    private let bytes: [UInt8]
    private let source: String
    private var position = 0
    private var line = 1
    private var depth = 0
    private var budget: DecodingBudget
    /// The latest `name:` argument, which is usually that of the target.
    private var name: String?

    /// Returns a dictionary for each literal with the key, named by its target; the key is its only member.
    static func parse(
        _ bytes: [UInt8], source: String, within budget: inout DecodingBudget
    ) throws(DeclarationError) -> PropertyNode {
        var reader = SwiftManifest(bytes: bytes, source: source, budget: budget)
        var found: [PropertyMember] = []
        while let member = try reader.nextDictionary() {
            found.append(member)
        }
        budget = reader.budget
        return PropertyNode(
            .dictionary([PropertyMember(key: rootKey, node: PropertyNode(.dictionary(found), line: 1))]), line: 1)
    }

    /// The key of the tree that contains the targets.
    static let rootKey = "Tuist"

    /// True if a text is a manifest: it imports Tuist's module.
    static func isOne(_ text: [UInt8]) -> Bool {
        String(decoding: text.prefix(65_536), as: UTF8.self).contains("import ProjectDescription")
    }

    private init(bytes: [UInt8], source: String, budget: DecodingBudget) {
        self.bytes = bytes
        self.source = source
        self.budget = budget
    }

    private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func advance(_ count: Int = 1) {
        for _ in 0..<count where position < bytes.count {
            if bytes[position] == 0x0A { line += 1 }
            position += 1
        }
    }

    private func startsWith(_ text: StaticString) -> Bool {
        let wanted = text.withUTF8Buffer { Array($0) }
        return bytes[min(position, bytes.count)...].starts(with: wanted)
    }

    private func failure(_ what: String) -> DeclarationError {
        DeclarationError(source: source, keyPath: ATSKey.root, line: line, what: what)
    }

    /// Searches for the next `"NSAppTransportSecurity":` outside of comments.
    private mutating func nextDictionary() throws(DeclarationError) -> PropertyMember? {
        while let byte = next {
            if startsWith("//") || startsWith("/*") {
                skipBlanks()
            } else if byte == UInt8(ascii: "\"") {
                let keyLine = line
                guard let text = try string() else { continue }
                let isNamed = precedes("name:", text)
                if isNamed { name = text }
                guard text == ATSKey.root else { continue }
                skipBlanks()
                guard next == UInt8(ascii: ":") else { continue }
                advance()
                let member = PropertyMember(key: ATSKey.root, keyLine: keyLine, node: try value())
                skipBlanks()
                guard next == nil || next.map({ ",])".utf8.contains($0) }) ?? true else {
                    throw failure(Self.expression)
                }
                return PropertyMember(
                    key: name ?? source, keyLine: keyLine,
                    node: PropertyNode(
                        .dictionary([
                            PropertyMember(
                                key: "infoPlist", keyLine: keyLine,
                                node: PropertyNode(.dictionary([member]), line: keyLine))
                        ]), line: keyLine))
            } else {
                advance()
            }
        }
        return nil
    }

    /// True if a label directly precedes the text that was just read.
    private func precedes(_ label: StaticString, _ text: String) -> Bool {
        let wanted = label.withUTF8Buffer { Array($0) }
        var end = position - text.utf8.count - 2
        while end > 0, end <= bytes.count, Self.isBlank(bytes[end - 1]) { end -= 1 }
        guard end >= wanted.count, end <= bytes.count else { return false }
        return bytes[(end - wanted.count)..<end].elementsEqual(wanted)
    }

    private static func isBlank(_ byte: UInt8) -> Bool { [0x20, 0x09, 0x0A, 0x0D].contains(byte) }

    /// Skips blanks and comments. Block comments nest in Swift.
    private mutating func skipBlanks() {
        while let byte = next {
            if Self.isBlank(byte) {
                advance()
            } else if startsWith("//") {
                while let byte = next, byte != 0x0A { advance() }
            } else if startsWith("/*") {
                var open = 0
                repeat {
                    open += startsWith("/*") ? 1 : startsWith("*/") ? -1 : 0
                    advance(startsWith("/*") || startsWith("*/") ? 2 : 1)
                } while open > 0 && next != nil
            } else {
                return
            }
        }
    }
}

// MARK: - Literals

extension SwiftManifest {
    private mutating func value() throws(DeclarationError) -> PropertyNode {
        skipBlanks()
        depth += 1
        defer { depth -= 1 }
        guard depth < DeclarationLimits.depth else { throw failure("nested too deeply") }
        guard budget.charge(0) else { throw failure(DecodingBudget.exhausted) }
        let start = line
        switch next {
        case UInt8(ascii: "["): return PropertyNode(try collection(), line: start)
        case UInt8(ascii: "\""):
            guard let text = try string() else { throw failure("the text is not a plain literal") }
            return PropertyNode(.string(text), line: start)
        case UInt8(ascii: "."): return try wrapped()
        default:
            let word = word()
            switch word {
            case "true": return PropertyNode(.boolean(true), line: start)
            case "false": return PropertyNode(.boolean(false), line: start)
            default: break
            }
            if let number = Int64(word.replacing("_", with: "")) { return PropertyNode(.integer(number), line: start) }
            if word.first?.isNumber == true || word.first == "-", let number = Double(word) {
                return PropertyNode(.real(number), line: start)
            }
            throw failure(Self.expression)
        }
    }

    /// `.boolean(true)`, `.dictionary([...])` and the other cases of Plist.Value.
    private mutating func wrapped() throws(DeclarationError) -> PropertyNode {
        advance()
        let kind = word()
        skipBlanks()
        guard ["boolean", "string", "integer", "real", "array", "dictionary"].contains(kind),
            next == UInt8(ascii: "(")
        else {
            throw failure(
                "the value .\(kind) is not a literal: use the Info.plist that tuist generate writes")
        }
        advance()
        let inner = try value()
        skipBlanks()
        guard next == UInt8(ascii: ")") else { throw failure("expected a closing parenthesis") }
        advance()
        return inner
    }

    private mutating func collection() throws(DeclarationError) -> PropertyValue {
        advance()
        var members: [PropertyMember] = []
        var items: [PropertyNode] = []
        var isDictionary = false
        while true {
            skipBlanks()
            if next == UInt8(ascii: "]") { break }
            if next == UInt8(ascii: ":") {
                // The empty dictionary, [:].
                isDictionary = true
                advance()
                continue
            }
            let keyLine = line
            let node = try value()
            skipBlanks()
            if next == UInt8(ascii: ":") {
                isDictionary = true
                guard case .string(let key) = node.value else { throw failure("a key is not a text") }
                advance()
                members.append(PropertyMember(key: key, keyLine: keyLine, node: try value()))
                skipBlanks()
            } else {
                items.append(node)
            }
            if next == UInt8(ascii: ",") {
                advance()
            } else if next != UInt8(ascii: "]") {
                throw failure(next == nil ? "the literal ends too early" : Self.expression)
            }
        }
        advance()
        return isDictionary ? .dictionary(members) : .array(items)
    }

    private static let expression =
        "the value is a Swift expression, which is not run: use the Info.plist that tuist generate writes"

    /// A name or a number.
    private mutating func word() -> String {
        let start = position
        while let byte = next,
            byte >= 0x80 || Character(Unicode.Scalar(byte)).isLetter || 0x30...0x39 ~= byte || byte == 0x5F
                || byte == 0x2D || (byte == 0x2E && position > start)
        { advance() }
        return String(decoding: bytes[start..<position], as: UTF8.self)
    }

    /// Reads a string literal. Without its escapes it is not a literal; nil for one that has interpolations or several
    /// lines.
    private mutating func string() throws(DeclarationError) -> String? {
        if startsWith("\"\"\"") {
            advance(3)
            while next != nil, !startsWith("\"\"\"") { advance(next == UInt8(ascii: "\\") ? 2 : 1) }
            advance(3)
            return nil
        }
        advance()
        var content: [UInt8] = []
        var isPlain = true
        while let byte = next, byte != UInt8(ascii: "\"") {
            guard byte != 0x0A else { throw failure("a text does not end on its line") }
            guard byte == UInt8(ascii: "\\") else {
                content.append(byte)
                advance()
                continue
            }
            advance()
            switch next {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): if let next { content.append(next) }
            case UInt8(ascii: "("):
                isPlain = false
                skipInterpolation()
                continue
            default: isPlain = false
            }
            advance()
        }
        advance()
        guard budget.charge(content.count) else { throw failure(DecodingBudget.exhausted) }
        return isPlain ? String(decoding: content, as: UTF8.self) : nil
    }

    /// Skips the parentheses of an interpolation, which may contain texts.
    private mutating func skipInterpolation() {
        var open = 0
        repeat {
            if next == UInt8(ascii: "(") { open += 1 }
            if next == UInt8(ascii: ")") { open -= 1 }
            advance()
        } while open > 0 && next != nil && next != 0x0A
    }
}
