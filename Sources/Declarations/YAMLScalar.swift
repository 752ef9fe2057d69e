import ATSPolicy

/// Scalars of YAML: quoted texts, and the types of plain ones.
enum YAMLScalar {
    /// The value of a plain scalar. XcodeGen reads its files with Yams, which also takes the words of YAML 1.1 for
    /// Booleans. Source: jpsim/Yams, Resolver.swift; YAML 1.2.2 section 10.3.2.
    static func value(of text: String) -> PropertyValue {
        switch text {
        case "true", "True", "TRUE", "yes", "Yes", "YES", "on", "On", "ON": return .boolean(true)
        case "false", "False", "FALSE", "no", "No", "NO", "off", "Off", "OFF": return .boolean(false)
        case "~", "null", "Null", "NULL": return .string("")
        default: break
        }
        guard let first = text.first, first.isNumber || "+-.".contains(first) else { return .string(text) }
        if let number = Int64(text) { return .integer(number) }
        guard text.contains(where: \.isNumber), text.allSatisfy({ $0.isNumber || "+-.eE".contains($0) }),
            let number = Double(text), number.isFinite
        else { return .string(text) }
        return .real(number)
    }

    /// Reads a text in quotation marks at the start of `text`, and removes it there.
    static func quoted(
        _ text: inout Substring, _ fault: (String) -> DeclarationError
    ) throws(DeclarationError) -> String {
        guard let mark = text.popFirst() else { throw fault("expected a quoted text") }
        var content = ""
        while let character = text.popFirst() {
            if character == mark {
                guard mark == "'", text.first == "'" else { return content }
                text.removeFirst()
            } else if mark == "\"", character == "\\" {
                content += try escape(&text, fault)
                continue
            }
            content.append(character)
        }
        throw fault("a quoted text does not end on its line")
    }

    private static func escape(
        _ text: inout Substring, _ fault: (String) -> DeclarationError
    ) throws(DeclarationError) -> String {
        switch text.popFirst() {
        case "n": return "\n"
        case "t": return "\t"
        case "r": return "\r"
        case "0": return "\0"
        case "\\": return "\\"
        case "\"": return "\""
        case "/": return "/"
        case " ": return " "
        case "x": return try scalar(&text, digits: 2, fault)
        case "u": return try scalar(&text, digits: 4, fault)
        case "U": return try scalar(&text, digits: 8, fault)
        default: throw fault("an unknown escape in a quoted text")
        }
    }

    private static func scalar(
        _ text: inout Substring, digits: Int, _ fault: (String) -> DeclarationError
    ) throws(DeclarationError) -> String {
        let hexadecimal = text.prefix(digits)
        guard hexadecimal.count == digits, let number = UInt32(hexadecimal, radix: 16),
            let scalar = Unicode.Scalar(number)
        else { throw fault("an invalid escape in a quoted text") }
        text = text.dropFirst(digits)
        return String(scalar)
    }
}

extension Substring {
    /// The text without spaces at its end.
    var trimmedEnd: Substring {
        var rest = self
        while rest.last?.isWhitespace == true { rest.removeLast() }
        return rest
    }

    /// The text without spaces at either end.
    var trimmed: Substring { drop(while: \.isWhitespace).trimmedEnd }
}
