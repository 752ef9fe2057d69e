import ATSPolicy

/// Finds dictionary literals for `NSAppTransportSecurity` in a manifest of Tuist, which is a Swift program. The program
/// is not run, so a value that is not a literal is an error. Source: Tuist documentation, InfoPlist and Plist.Value.
struct SwiftManifest {
    private var cursor: LineCursor
    private let source: String
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
        cursor = LineCursor(bytes)
        self.source = source
        self.budget = budget
    }

    private func failure(_ what: String) -> DeclarationError {
        DeclarationError(source: source, keyPath: ATSKey.root, line: cursor.line, what: what)
    }

    /// Searches for the next `"NSAppTransportSecurity":` outside of comments.
    private mutating func nextDictionary() throws(DeclarationError) -> PropertyMember? {
        while let byte = cursor.next {
            if cursor.startsWith("//") || cursor.startsWith("/*") {
                skipBlanks()
            } else if byte == UInt8(ascii: "\"") {
                let keyLine = cursor.line
                guard let text = try string() else { continue }
                let isNamed = precedes("name:", text)
                if isNamed { name = text }
                guard text == ATSKey.root else { continue }
                skipBlanks()
                guard cursor.take(UInt8(ascii: ":")) else { continue }
                let member = PropertyMember(key: ATSKey.root, keyLine: keyLine, node: try value())
                skipBlanks()
                guard cursor.next == nil || cursor.next.map({ ",])".utf8.contains($0) }) ?? true else {
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
                cursor.advance()
            }
        }
        return nil
    }

    /// True if a label directly precedes the text that was just read.
    private func precedes(_ label: StaticString, _ text: String) -> Bool {
        let wanted = label.withUTF8Buffer { Array($0) }
        var end = cursor.position - text.utf8.count - 2
        while end > 0, end <= cursor.source.count, Self.isBlank(cursor.source[end - 1]) { end -= 1 }
        guard end >= wanted.count, end <= cursor.source.count else { return false }
        return cursor.source[(end - wanted.count)..<end].elementsEqual(wanted)
    }

    private static func isBlank(_ byte: UInt8) -> Bool { [0x20, 0x09, 0x0A, 0x0D].contains(byte) }

    /// Skips blanks and comments. Block comments nest in Swift.
    private mutating func skipBlanks() {
        while let byte = cursor.next {
            if Self.isBlank(byte) {
                cursor.advance()
            } else if cursor.startsWith("//") {
                cursor.advance { $0 == 0x0A }
            } else if cursor.startsWith("/*") {
                var open = 0
                repeat {
                    open += cursor.startsWith("/*") ? 1 : cursor.startsWith("*/") ? -1 : 0
                    cursor.advance(cursor.startsWith("/*") || cursor.startsWith("*/") ? 2 : 1)
                } while open > 0 && cursor.next != nil
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
        let start = cursor.line
        switch cursor.next {
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
        cursor.advance()
        let kind = word()
        skipBlanks()
        guard ["boolean", "string", "integer", "real", "array", "dictionary"].contains(kind),
            cursor.next == UInt8(ascii: "(")
        else {
            throw failure(
                "the value .\(kind) is not a literal: use the Info.plist that tuist generate writes")
        }
        cursor.advance()
        let inner = try value()
        skipBlanks()
        guard cursor.take(UInt8(ascii: ")")) else { throw failure("expected a closing parenthesis") }
        return inner
    }

    private mutating func collection() throws(DeclarationError) -> PropertyValue {
        cursor.advance()
        var members: [PropertyMember] = []
        var items: [PropertyNode] = []
        var isDictionary = false
        while true {
            skipBlanks()
            if cursor.next == UInt8(ascii: "]") { break }
            if cursor.take(UInt8(ascii: ":")) {
                // The empty dictionary, [:].
                isDictionary = true
                continue
            }
            let keyLine = cursor.line
            let node = try value()
            skipBlanks()
            if cursor.take(UInt8(ascii: ":")) {
                isDictionary = true
                guard case .string(let key) = node.value else { throw failure("a key is not a text") }
                members.append(PropertyMember(key: key, keyLine: keyLine, node: try value()))
                skipBlanks()
            } else {
                items.append(node)
            }
            guard cursor.take(UInt8(ascii: ",")) || cursor.next == UInt8(ascii: "]") else {
                throw failure(cursor.next == nil ? "the literal ends too early" : Self.expression)
            }
        }
        cursor.advance()
        return isDictionary ? .dictionary(members) : .array(items)
    }

    private static let expression =
        "the value is a Swift expression, which is not run: use the Info.plist that tuist generate writes"

    /// A name or a number.
    private mutating func word() -> String {
        let start = cursor.position
        while let byte = cursor.next,
            byte >= 0x80 || Character(Unicode.Scalar(byte)).isLetter || 0x30...0x39 ~= byte || byte == 0x5F
                || byte == 0x2D || (byte == 0x2E && cursor.position > start)
        { cursor.advance() }
        return cursor.text(from: start)
    }

    /// Reads a string literal. Without its escapes it is not a literal; nil for one that has interpolations or several
    /// lines.
    private mutating func string() throws(DeclarationError) -> String? {
        if cursor.startsWith("\"\"\"") {
            cursor.advance(3)
            while cursor.next != nil, !cursor.startsWith("\"\"\"") {
                cursor.advance(cursor.next == UInt8(ascii: "\\") ? 2 : 1)
            }
            cursor.advance(3)
            return nil
        }
        cursor.advance()
        var content: [UInt8] = []
        var isPlain = true
        while let byte = cursor.next, byte != UInt8(ascii: "\"") {
            guard byte != 0x0A else { throw failure("a text does not end on its line") }
            guard byte == UInt8(ascii: "\\") else {
                content.append(byte)
                cursor.advance()
                continue
            }
            cursor.advance()
            switch cursor.next {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): cursor.next.map { content.append($0) }
            case UInt8(ascii: "("):
                isPlain = false
                skipInterpolation()
                continue
            default: isPlain = false
            }
            cursor.advance()
        }
        cursor.advance()
        guard budget.charge(content.count) else { throw failure(DecodingBudget.exhausted) }
        return isPlain ? String(decoding: content, as: UTF8.self) : nil
    }

    /// Skips the parentheses of an interpolation, which may contain texts.
    private mutating func skipInterpolation() {
        var open = 0
        repeat {
            if cursor.next == UInt8(ascii: "(") { open += 1 }
            if cursor.next == UInt8(ascii: ")") { open -= 1 }
            cursor.advance()
        } while open > 0 && cursor.next != nil && cursor.next != 0x0A
    }
}
