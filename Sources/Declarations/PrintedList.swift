import ATSPolicy

/// A property list as PlistBuddy's Print and `plutil -p` show it, a value on each line. Source: PlistBuddy(8),
/// plutil(1); the form: outputs in public reports (observed).
struct PrintedList {
    private let source: String
    private let lines: [Substring]
    private var position = 0
    private var depth = 0
    private var budget: DecodingBudget
    /// True for the form of plutil: quoted keys, and arrows instead of equals signs.
    private let hasArrows: Bool

    /// True if the text begins like one of the two forms.
    static func isLikely(_ text: String) -> Bool {
        let words = text.split(omittingEmptySubsequences: true, whereSeparator: \.isNewline).prefix(2).map(\.trimmed)
        guard let first = words.first else { return false }
        if first == "Dict {" || first.hasSuffix("= Dict {") { return true }
        return first == "{" && words.count > 1 && words[1].hasPrefix("\"") && words[1].contains("\" => ")
    }

    static func parse(
        _ text: String, source: String, within budget: inout DecodingBudget
    ) throws(DeclarationError) -> PropertyNode {
        var reader = PrintedList(text, source: source, budget: budget)
        reader.skipEmpty()
        let root = try reader.root()
        reader.skipEmpty()
        guard reader.position == reader.lines.count else { throw reader.failure("text after the last brace") }
        budget = reader.budget
        return root
    }

    /// `plutil -p` and `defaults read` show Booleans as numbers.
    static let numbersNote =
        "The text shows 0 and 1, which are read as Booleans. ATS ignores the texts \"0\" and \"1\", which look the same here."

    private init(_ text: String, source: String, budget: DecodingBudget) {
        self.source = source
        self.budget = budget
        lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        hasArrows = text.contains("\" => ")
    }

    private var line: Int { min(position + 1, lines.count) }

    private func failure(_ what: String) -> DeclarationError {
        DeclarationError(source: source, line: line, what: what)
    }

    private mutating func skipEmpty() {
        while position < lines.count, lines[position].allSatisfy(\.isWhitespace) { position += 1 }
    }

    /// The dictionary, or one member of it if the first line has a key, as a copied part has.
    private mutating func root() throws(DeclarationError) -> PropertyNode {
        guard position < lines.count else { throw failure("the text is empty") }
        guard split(lines[position].trimmed) != nil else { return try value(lines[position].trimmed) }
        return PropertyNode(.dictionary(try members(untilBrace: false)), line: 1)
    }

    private mutating func members(untilBrace: Bool) throws(DeclarationError) -> [PropertyMember] {
        var members: [PropertyMember] = []
        while position < lines.count {
            let text = lines[position].trimmed
            if text == "}" {
                guard untilBrace else { throw failure("a closing brace without its opening one") }
                position += 1
                return members
            }
            if text.isEmpty {
                position += 1
            } else if let (key, rest) = split(text) {
                members.append(PropertyMember(key: key, keyLine: line, node: try value(rest)))
            } else if let last = members.indices.last, case .string(let start) = members[last].node.value {
                // A text with line breaks continues without a key.
                members[last].node.value = .string(start + "\n" + text)
                position += 1
            } else {
                throw failure("expected a key and \(hasArrows ? "=>" : "=")")
            }
        }
        guard !untilBrace else { throw failure("a closing brace is missing") }
        return members
    }

    /// Splits a line into its key and its value.
    private func split(_ text: Substring) -> (key: String, value: Substring)? {
        guard let mark = text.firstRange(of: hasArrows ? " => " : " = ") else { return nil }
        var key = text[..<mark.lowerBound]
        if hasArrows {
            guard key.count >= 2, key.first == "\"", key.last == "\"" else { return nil }
            key = key.dropFirst().dropLast()
        }
        return (String(key), text[mark.upperBound...])
    }

    private mutating func value(_ text: Substring) throws(DeclarationError) -> PropertyNode {
        guard budget.charge(text.utf8.count) else { throw failure(DecodingBudget.exhausted) }
        depth += 1
        defer { depth -= 1 }
        guard depth < DeclarationLimits.depth else { throw failure("nested too deeply") }
        let start = line
        position += 1
        switch text {
        case "Dict {", "{": return PropertyNode(.dictionary(try members(untilBrace: true)), line: start)
        case "Array {", "[": return PropertyNode(.array(try items()), line: start)
        case "true": return PropertyNode(.boolean(true), line: start)
        case "false": return PropertyNode(.boolean(false), line: start)
        default: break
        }
        if hasArrows, text == "0" || text == "1" { return PropertyNode(.boolean(text == "1"), line: start) }
        if hasArrows, text.count >= 2, text.first == "\"", text.last == "\"" {
            return PropertyNode(.string(String(text.dropFirst().dropLast())), line: start)
        }
        if hasArrows, text.hasPrefix("{length = ") { return PropertyNode(.data([]), line: start) }
        if let number = Int64(text) { return PropertyNode(.integer(number), line: start) }
        return PropertyNode(.string(String(text)), line: start)
    }

    private mutating func items() throws(DeclarationError) -> [PropertyNode] {
        var items: [PropertyNode] = []
        while position < lines.count {
            let text = lines[position].trimmed
            if text == "}" || text == "]" {
                position += 1
                return items
            }
            guard !text.isEmpty else {
                position += 1
                continue
            }
            // plutil numbers the elements.
            let mark = hasArrows ? text.firstRange(of: " => ") : nil
            let isNumbered = mark.map { text[..<$0.lowerBound].allSatisfy(\.isNumber) } ?? false
            items.append(try value(mark.map { isNumbered ? text[$0.upperBound...] : text } ?? text))
        }
        throw failure("a closing brace or bracket is missing")
    }
}
