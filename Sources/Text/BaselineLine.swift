/// Parses one line of a ``Baseline``.
struct BaselineLine {
    let text: String
    private var rest: Substring.UnicodeScalarView

    init(_ line: Substring.UnicodeScalarView) {
        // Git may write CR before LF.
        rest = line.last == "\r" ? line.dropLast() : line
        text = String(rest)
        skipBlanks()
    }

    var isBlank: Bool { rest.isEmpty }
    var isComment: Bool { rest.first == "#" }

    /// Returns the words of the line; nil if a quotation mark is not closed, or is inside a word.
    mutating func words() -> [String]? {
        var words: [String] = []
        while !rest.isEmpty {
            guard let word = rest.first == "\"" ? quoted() : plain() else { return nil }
            words.append(word)
            guard rest.isEmpty || rest.first?.isLineBlank == true else { return nil }
            skipBlanks()
        }
        return words
    }

    private mutating func plain() -> String? {
        let word = rest.prefix { !$0.isLineBlank }
        rest = rest[word.endIndex...]
        return word.contains("\"") ? nil : String(word)
    }

    private mutating func quoted() -> String? {
        rest.removeFirst()
        var word = String.UnicodeScalarView()
        while let scalar = rest.popFirst() {
            switch scalar {
            case "\"": return String(word)
            case "\\":
                guard let escaped = rest.popFirst() else { return nil }
                switch escaped {
                case "n": word.append("\n")
                case "r": word.append("\r")
                case "t": word.append("\t")
                default: word.append(escaped)
                }
            default: word.append(scalar)
            }
        }
        return nil
    }

    private mutating func skipBlanks() { rest = rest[(rest.firstIndex { !$0.isLineBlank } ?? rest.endIndex)...] }
}

extension Unicode.Scalar {
    fileprivate var isLineBlank: Bool { self == " " || self == "\t" }
}

extension String {
    /// The text as a word of a baseline, quoted if necessary.
    var baselineWord: String {
        let isPlain = !isEmpty && unicodeScalars.allSatisfy { $0.value > 0x20 && $0 != "\"" && $0 != "\\" && $0 != "#" }
        guard !isPlain else { return self }
        var text = "\""
        for scalar in unicodeScalars {
            switch scalar {
            case "\"", "\\": text += "\\" + String(scalar)
            case "\n": text += "\\n"
            case "\r": text += "\\r"
            case "\t": text += "\\t"
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text + "\""
    }
}
