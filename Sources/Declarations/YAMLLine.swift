import ATSPolicy

/// The parts of one line of YAML.
enum YAMLLine {
    static func isItem(_ text: Substring) -> Bool { text == "-" || text.hasPrefix("- ") }

    /// Splits `KEY: VALUE`; nil for a line without a key.
    static func key(
        of text: Substring, fault: (String, Int?) -> DeclarationError
    ) throws(DeclarationError) -> (key: String, rest: Substring)? {
        guard text.first != "?" || !text.hasPrefix("? ") else { throw fault("complex keys (?) are not supported", nil) }
        guard let first = text.first, !"{[*&!|>@`".contains(first) else { return nil }
        if first == "\"" || first == "'" {
            var rest = text
            guard let key = try? YAMLScalar.quoted(&rest, { fault($0, nil) }) else { return nil }
            rest = rest.drop { $0 == " " }
            return rest.first == ":" ? (key, rest.dropFirst().drop { $0 == " " }) : nil
        }
        var end = text.startIndex
        while end < text.endIndex {
            let after = text.index(after: end)
            if text[end] == ":", after == text.endIndex || text[after] == " " {
                return (String(text[..<end].trimmedEnd), text[after...].drop { $0 == " " })
            }
            if text[end] == " ", after < text.endIndex, text[after] == "#" { return nil }
            end = after
        }
        return nil
    }

    /// The text before a comment, which begins with a space and `#` outside of quotation marks.
    static func withoutComment(_ text: Substring) -> Substring {
        guard text.first != "#" else { return text.prefix(0) }
        guard text.contains("#"), text.first != "\"", text.first != "'" else {
            guard text.contains("#") else { return text.trimmedEnd }
            var rest = text
            guard (try? YAMLScalar.quoted(&rest, { DeclarationError(source: "", what: $0) })) != nil,
                rest.drop(while: \.isWhitespace).first == "#"
            else { return text.trimmedEnd }
            return text[..<rest.startIndex]
        }
        var end = text.startIndex
        while end < text.endIndex {
            let after = text.index(after: end)
            if text[end].isWhitespace, after < text.endIndex, text[after] == "#" { return text[..<end].trimmedEnd }
            end = after
        }
        return text.trimmedEnd
    }
}
