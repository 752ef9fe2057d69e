/// Finds the columns of keys in a file; the readers keep line numbers only.
struct KeyColumns {
    private let lines: [Substring]

    /// - Parameter text: the whole file.
    init(_ text: String) {
        lines = text.lintLines
    }

    /// Counted from 1 in Unicode code points. nil if the key is not on the line, or occurs there more than once.
    ///
    /// - Parameter keyPath: keys may contain dots, so its longest suffix that is on the line counts.
    func column(of keyPath: String, line: Int) -> Int? {
        guard lines.indices.contains(line - 1) else { return nil }
        let text = lines[line - 1].unicodeScalars
        var key = keyPath[...]
        while true {
            for written in ["<key>\(Self.escaped(key))</key>", "\"\(key)\""] {
                let places = text.indices.filter { text[$0...].starts(with: written.unicodeScalars) }
                if let only = places.first, places.count == 1 {
                    return text.distance(from: text.startIndex, to: only) + 1
                }
            }
            if let column = Self.bareColumn(of: key, in: text) { return column }
            guard let dot = key.firstIndex(of: ".") else { return nil }
            key = key[key.index(after: dot)...]
        }
    }

    /// The column of a key without quotation marks that begins the line, as in YAML and in printed lists.
    private static func bareColumn(of key: Substring, in line: Substring.UnicodeScalarView) -> Int? {
        let start = line.drop { $0 == " " || $0 == "\t" || $0 == "-" }
        guard start.starts(with: key.unicodeScalars) else { return nil }
        let rest = start.dropFirst(key.unicodeScalars.count).drop { $0 == " " }
        guard rest.first == ":" || rest.first == "=" else { return nil }
        return line.distance(from: line.startIndex, to: start.startIndex) + 1
    }

    private static func escaped(_ key: Substring) -> String {
        key.split(separator: "&", omittingEmptySubsequences: false).joined(separator: "&amp;")
    }
}

extension String {
    /// Lines as the readers count them: only LF, CR LF and CR end one (XML 1.0 section 2.11).
    var lintLines: [Substring] {
        let (lineFeed, carriageReturn) = (UInt8(ascii: "\n"), UInt8(ascii: "\r"))
        var lines: [Substring] = []
        var start = startIndex
        var wasReturn = false
        for index in utf8.indices {
            let byte = utf8[index]
            if byte == lineFeed, wasReturn {
                start = utf8.index(after: index)
            } else if byte == lineFeed || byte == carriageReturn {
                lines.append(self[start..<index])
                start = utf8.index(after: index)
            }
            wasReturn = byte == carriageReturn
        }
        return lines + [self[start...]]
    }
}
