import ATSPolicy

extension YAMLText {
    /// A collection in braces or brackets, which may continue on the next lines.
    mutating func flow(_ text: Substring, from line: Line) throws(DeclarationError) -> PropertyNode {
        var text = text
        var number = line.number
        let root = try flowValue(&text, &number)
        guard YAMLLine.withoutComment(text).allSatisfy(\.isWhitespace) else {
            throw failure("text after a closing brace or bracket", at: number)
        }
        return root
    }

    private mutating func flowValue(
        _ text: inout Substring, _ number: inout Int
    ) throws(DeclarationError) -> PropertyNode {
        depth += 1
        defer { depth -= 1 }
        guard depth < DeclarationLimits.depth else { throw failure("nested too deeply", at: number) }
        try skipFlowBlanks(&text, &number)
        let start = number
        guard let open = text.first, open == "{" || open == "[" else {
            let (content, isPlain) = try flowScalar(&text, start)
            if isPlain, content.first == "*" { return try alias(String(content.dropFirst()), at: start) }
            return try node(
                isPlain ? YAMLScalar.value(of: content) : .string(content), at: start, size: content.utf8.count)
        }
        text.removeFirst()
        var members: [PropertyMember] = []
        var items: [PropertyNode] = []
        while true {
            try skipFlowBlanks(&text, &number)
            if text.first == (open == "{" ? "}" : "]") { break }
            if open == "{" {
                let keyLine = number
                let key = try flowScalar(&text, number).content
                try skipFlowBlanks(&text, &number)
                guard text.first == ":" else { throw failure("expected a colon after \(key)", at: number) }
                text.removeFirst()
                members.append(PropertyMember(key: key, keyLine: keyLine, node: try flowValue(&text, &number)))
            } else {
                items.append(try flowValue(&text, &number))
            }
            try skipFlowBlanks(&text, &number)
            if text.first == "," { text.removeFirst() }
        }
        text.removeFirst()
        return try node(open == "{" ? .dictionary(members) : .array(items), at: start)
    }

    /// Skips spaces, comments and line breaks.
    private mutating func skipFlowBlanks(_ text: inout Substring, _ number: inout Int) throws(DeclarationError) {
        while true {
            text = text.drop(while: \.isWhitespace)
            guard text.isEmpty || text.first == "#" else { return }
            guard let line = next else { throw failure("a brace or bracket is not closed", at: number) }
            (text, number) = (line.text, line.number)
            position += 1
        }
    }

    private func flowScalar(
        _ text: inout Substring, _ number: Int
    ) throws(DeclarationError) -> (content: String, isPlain: Bool) {
        if text.first == "\"" || text.first == "'" {
            return (try YAMLScalar.quoted(&text) { self.failure($0, at: number) }, false)
        }
        var end = text.startIndex
        while end < text.endIndex, !",{}[]".contains(text[end]) {
            let after = text.index(after: end)
            if text[end] == ":", after == text.endIndex || " ,{}[]".contains(text[after]) { break }
            end = after
        }
        let content = text[..<end].trimmedEnd
        guard !content.isEmpty else { throw failure("expected a value", at: number) }
        text = text[end...]
        return (String(content), true)
    }
}
