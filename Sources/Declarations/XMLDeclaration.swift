import ATSPolicy

/// The `<?xml ...?>` in front of a document. Source: XML 1.0 (Fifth Edition) section 2.8, 4.3.3.
///
/// It is read here and kept from the parser, so that no document is looked at in one encoding and parsed in another:
/// libxml2 follows the declaration into every encoding that iconv knows, UTF-7 among them.
struct XMLDeclaration {
    /// As written; nil where the document names none.
    private let encoding: String?
    private let length: Int

    /// - Parameter text: in UTF-8.
    /// - Returns: nil where the document has no declaration.
    /// - Throws: for a declaration that is broken.
    init?(_ text: [UInt8], source: String) throws(DeclarationError) {
        let opening = Array("<?xml".utf8)
        guard text.starts(with: opening), text.count > opening.count, Self.isBlank(text[opening.count]) else {
            return nil
        }
        var rest = text[opening.count...].prefix(Self.limitBytes)
        var names: [String] = []
        var encoding: String?
        while !rest.starts(with: "?>".utf8) {
            guard let (name, value) = Self.takeAttribute(&rest) else {
                throw DeclarationError(source: source, line: 1, what: "the XML declaration is broken")
            }
            names.append(name)
            if name == "encoding" { encoding = value }
        }
        guard names.first == "version", ["version", "encoding", "standalone"].filter(names.contains) == names else {
            throw DeclarationError(source: source, line: 1, what: "the XML declaration is broken")
        }
        self.encoding = encoding
        length = rest.startIndex + 2
    }

    /// The document with blanks in place of the declaration, so that lines stay what they are.
    ///
    /// - Throws: for an encoding that is not read, and for one that the document is not written in.
    func removed(from text: PolicyText, source: String) throws(DeclarationError) -> [UInt8] {
        if let encoding {
            let isTrue =
                switch encoding.uppercased() {
                case "UTF-8": !text.isUTF16
                case "US-ASCII", "ASCII": !text.isUTF16 && text.utf8.allSatisfy { $0 < 0x80 }
                case "UTF-16": text.isUTF16
                default:
                    throw DeclarationError(
                        source: source, line: 1, what: "the XML is written in \(encoding): save it as UTF-8")
                }
            guard isTrue else {
                throw DeclarationError(
                    source: source, line: 1, what: "the XML declares \(encoding), but is not written in it")
            }
        }
        return text.utf8[..<length].map { $0 == 0x0A || $0 == 0x0D ? $0 : 0x20 } + text.utf8[length...]
    }

    /// Blanks, `NAME="VALUE"` and blanks; nil for anything else.
    private static func takeAttribute(_ rest: inout ArraySlice<UInt8>) -> (name: String, value: String)? {
        rest = rest.drop(while: isBlank)
        let name = rest.prefix { $0 != UInt8(ascii: "=") && !isBlank($0) }
        rest = rest[name.endIndex...].drop(while: isBlank)
        guard rest.popFirst() == UInt8(ascii: "=") else { return nil }
        rest = rest.drop(while: isBlank)
        guard let quote = rest.popFirst(), quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else { return nil }
        let value = rest.prefix { $0 != quote }
        guard !value.isEmpty, value.allSatisfy(isNameByte) else { return nil }
        rest = rest[value.endIndex...]
        guard rest.popFirst() == quote else { return nil }
        rest = rest.drop(while: isBlank)
        return (String(decoding: name, as: UTF8.self), String(decoding: value, as: UTF8.self))
    }

    /// What names of encodings, versions and yes or no are made of (EncName, VersionNum).
    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"): true
        default: false
        }
    }

    private static func isBlank(_ byte: UInt8) -> Bool { [0x20, 0x09, 0x0A, 0x0D].contains(byte) }

    /// Longer than any declaration that says something.
    private static let limitBytes = 512
}
