import ATSPolicy

/// A reader of the part of YAML 1.2 that project files use: block and flow collections, plain, quoted and block
/// scalars, comments, anchors, aliases and merge keys. Everything else is an error with its line.
struct YAMLText {
    /// A line of the file, without its comment if it is not part of a block scalar.
    struct Line {
        /// Columns of spaces before the text; the place of an item's text for what follows `- `.
        var indent: Int
        var text: Substring
        let number: Int
    }

    private let source: String
    private(set) var lines: [Line] = []
    var position = 0
    var depth = 0
    var budget: DecodingBudget
    /// Values with an anchor, and the number of values in each.
    private var anchors: [String: (node: PropertyNode, count: Int)] = [:]

    /// - Throws: for text outside of the supported part of YAML.
    static func parse(
        _ text: String, source: String, within budget: inout DecodingBudget
    ) throws(DeclarationError) -> PropertyNode {
        var reader = YAMLText(text, source: source, budget: budget)
        try reader.skipDocumentStart()
        let root = try reader.block(from: 0)
        if let rest = reader.next, !rest.text.hasPrefix("...") {
            throw reader.failure("only one document with equal indentation is read", at: rest.number)
        }
        budget = reader.budget
        return root
    }

    private init(_ text: String, source: String, budget: DecodingBudget) {
        self.source = source
        self.budget = budget
        for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
            let rest = line.drop { $0 == " " }
            lines.append(Line(indent: line.count - rest.count, text: rest, number: index + 1))
        }
    }

    /// The next line with content.
    var next: Line? {
        mutating get {
            while position < lines.count {
                let text = lines[position].text
                guard text.allSatisfy(\.isWhitespace) || text.first == "#" else { return lines[position] }
                position += 1
            }
            return nil
        }
    }

    private mutating func skipDocumentStart() throws(DeclarationError) {
        while let line = next, line.text.first == "%" { position += 1 }
        if let line = next, line.text.hasPrefix("---") {
            guard line.text.dropFirst(3).allSatisfy(\.isWhitespace) else {
                throw failure("text after --- is not read", at: line.number)
            }
            position += 1
        }
    }

    func failure(_ what: String, at line: Int?) -> DeclarationError {
        DeclarationError(source: source, line: line, what: "YAML: " + what)
    }

    mutating func node(
        _ value: PropertyValue, at line: Int, size: Int = 0
    ) throws(DeclarationError)
        -> PropertyNode
    {
        guard budget.charge(size) else { throw failure(DecodingBudget.exhausted, at: line) }
        return PropertyNode(value, line: line)
    }
}

// MARK: - Blocks

extension YAMLText {
    /// The value whose lines are indented by `indent` columns or more.
    private mutating func block(from indent: Int) throws(DeclarationError) -> PropertyNode {
        guard let line = next, line.indent >= indent else {
            return try node(.string(""), at: next?.number ?? lines.count)
        }
        guard line.text.first != "\t" else { throw failure("a tab in the indentation", at: line.number) }
        depth += 1
        defer { depth -= 1 }
        guard depth < DeclarationLimits.depth else { throw failure("nested too deeply", at: line.number) }
        if YAMLLine.isItem(line.text) { return try sequence(at: line.indent) }
        if try YAMLLine.key(of: line.text, fault: failure) != nil { return try mapping(at: line.indent) }
        position += 1
        return try value(line.text, on: line, owner: line.indent - 1)
    }

    private mutating func sequence(at indent: Int) throws(DeclarationError) -> PropertyNode {
        var items: [PropertyNode] = []
        let first = next?.number ?? 0
        while let line = next, line.indent == indent, YAMLLine.isItem(line.text) {
            let rest = line.text.dropFirst().drop { $0 == " " }
            if rest.isEmpty || rest.first == "#" {
                position += 1
                let isInner = (next?.indent ?? 0) > indent
                items.append(try isInner ? block(from: indent + 1) : node(.string(""), at: line.number))
            } else {
                // The rest of the line is the first line of the item, at its own column.
                lines[position].indent = indent + line.text.count - rest.count
                lines[position].text = rest
                items.append(try block(from: indent + 1))
            }
        }
        if let line = next, line.indent > indent { throw failure("unexpected indentation", at: line.number) }
        return try node(.array(items), at: first)
    }

    private mutating func mapping(at indent: Int) throws(DeclarationError) -> PropertyNode {
        var members: [PropertyMember] = []
        var merged: [PropertyMember] = []
        let first = next?.number ?? 0
        while let line = next, line.indent == indent, !YAMLLine.isItem(line.text) {
            guard line.text.first != "\t" else { throw failure("a tab in the indentation", at: line.number) }
            guard let (key, rest) = try YAMLLine.key(of: line.text, fault: failure) else {
                throw failure("expected a key and a colon", at: line.number)
            }
            position += 1
            let value = try value(rest, on: line, owner: indent)
            guard key != "<<" else {
                guard case .dictionary(let inner) = value.value else {
                    throw failure("the value of << is not a mapping", at: line.number)
                }
                merged += inner
                continue
            }
            members.append(PropertyMember(key: key, keyLine: line.number, node: value))
        }
        if let line = next, line.indent > indent { throw failure("unexpected indentation", at: line.number) }
        let keys = Set(members.map(\.key))
        return try node(.dictionary(members + merged.filter { !keys.contains($0.key) }), at: first)
    }

    /// The value after a key, or that of a line.
    ///
    /// - Parameter owner: indentation of the key; the lines of the value have a larger one.
    private mutating func value(
        _ text: Substring, on line: Line, owner: Int
    ) throws(DeclarationError) -> PropertyNode {
        // Quoted texts in braces may contain what looks like a comment.
        var rest = text.first == "{" || text.first == "[" ? text : YAMLLine.withoutComment(text)
        if rest.first == "*" {
            return try alias(String(rest.dropFirst()), at: line.number)
        }
        guard rest.first == "&" else { return try bareValue(rest, on: line, owner: owner) }
        let name = rest.dropFirst().prefix { !$0.isWhitespace }
        rest = rest.dropFirst(name.count + 1).drop { $0 == " " }
        let node = try bareValue(rest, on: line, owner: owner)
        anchors[String(name)] = (node, Self.count(node))
        return node
    }

    private mutating func bareValue(
        _ rest: Substring, on line: Line, owner: Int
    ) throws(DeclarationError) -> PropertyNode {
        switch rest.first {
        case nil:
            guard let next else { return try node(.string(""), at: line.number) }
            // A list may begin at the column of its key (YAML 1.2.2 section 8.2.2).
            if next.indent == owner, owner >= 0, YAMLLine.isItem(next.text) { return try sequence(at: owner) }
            return try next.indent > owner ? block(from: owner + 1) : node(.string(""), at: line.number)
        case "|", ">": return try node(.string(blockText(below: owner)), at: line.number)
        case "{", "[": return try flow(rest, from: line)
        case "!": throw failure("tags (!) are not supported", at: line.number)
        case "@", "`", "%": throw failure("a plain text cannot begin with \(rest.prefix(1))", at: line.number)
        case "\"", "'":
            var text = rest
            let content = try YAMLScalar.quoted(&text) { self.failure($0, at: line.number) }
            guard text.allSatisfy(\.isWhitespace) else { throw failure("text after a quoted text", at: line.number) }
            return try node(.string(content), at: line.number, size: content.utf8.count)
        default:
            var words = [rest]
            while let more = next, more.indent > owner {
                if try YAMLLine.key(of: more.text, fault: failure) != nil {
                    throw failure("a key within a plain text", at: more.number)
                }
                words.append(YAMLLine.withoutComment(more.text))
                position += 1
            }
            let text = words.joined(separator: " ")
            return try node(YAMLScalar.value(of: text), at: line.number, size: text.utf8.count)
        }
    }

    /// The text of a block scalar: all lines that are indented more than its key.
    private mutating func blockText(below owner: Int) -> String {
        var text: [Substring] = []
        while position < lines.count, lines[position].indent > owner || lines[position].text.isEmpty {
            text.append(lines[position].text)
            position += 1
        }
        return text.joined(separator: "\n")
    }

    /// A copy of the value with an anchor. It is charged, because copies of copies grow exponentially.
    mutating func alias(_ name: String, at line: Int) throws(DeclarationError) -> PropertyNode {
        guard let known = anchors[name] else { throw failure("unknown alias *\(name)", at: line) }
        for _ in 0..<known.count {
            guard budget.charge(0) else { throw failure(DecodingBudget.exhausted, at: line) }
        }
        return known.node
    }

    /// The number of values in a tree.
    private static func count(_ node: PropertyNode) -> Int {
        switch node.value {
        case .dictionary(let members): members.reduce(1) { $0 + count($1.node) }
        case .array(let items): items.reduce(1) { $0 + count($1) }
        case .boolean, .integer, .real, .string, .data, .date: 1
        }
    }
}
