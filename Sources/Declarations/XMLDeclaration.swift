import ATSPolicy

/// The `<?xml ...?>` at the start of a document. Source: XML 1.0 (Fifth Edition) section 2.8, 4.3.3.
///
/// The declaration is parsed here and removed before the XML parser runs. So a document is checked and parsed in the
/// same encoding. libxml2 would use any encoding that iconv supports, including UTF-7.
struct XMLDeclaration {
    /// As written; nil if the document names none.
    private let encoding: String?
    private let length: Int

    /// - Parameter text: in UTF-8.
    /// - Returns: nil if the document has no declaration. Blanks before it are skipped, as in CFPropertyList.c.
    /// - Throws: for an invalid declaration.
    init?(_ text: [UInt8], source: String) throws(DeclarationError) {
        let opening = Array("<?xml".utf8)
        let document = text.drop(while: Self.isBlank)
        guard document.starts(with: opening), let after = document.dropFirst(opening.count).first, Self.isBlank(after)
        else { return nil }
        var rest = document.dropFirst(opening.count).prefix(Self.limitBytes)
        var names: [String] = []
        var encoding: String?
        while !rest.starts(with: "?>".utf8) {
            guard let (name, value) = Self.takeAttribute(&rest) else {
                throw DeclarationError(source: source, line: 1, what: "invalid XML declaration")
            }
            names.append(name)
            if name == "encoding" { encoding = value }
        }
        guard names.first == "version", ["version", "encoding", "standalone"].filter(names.contains) == names else {
            throw DeclarationError(source: source, line: 1, what: "invalid XML declaration")
        }
        self.encoding = encoding
        length = rest.startIndex + 2
    }

    /// The document with blanks instead of the declaration, which keeps its line numbers.
    ///
    /// - Throws: for an unsupported encoding, and for one that does not match the document.
    func removed(from text: PolicyText, source: String) throws(DeclarationError) -> [UInt8] {
        if let encoding {
            let isTrue =
                switch encoding.uppercased() {
                case "UTF-8": !text.isUTF16
                case "US-ASCII", "ASCII": !text.isUTF16 && text.utf8.allSatisfy { $0 < 0x80 }
                case "UTF-16": text.isUTF16
                default:
                    throw DeclarationError(
                        source: source, line: 1, what: "unsupported XML encoding \(encoding): save the file as UTF-8")
                }
            guard isTrue else {
                throw DeclarationError(
                    source: source, line: 1, what: "the XML declares \(encoding), but has another encoding")
            }
        }
        return text.utf8[..<length].map { $0 == 0x0A || $0 == 0x0D ? $0 : 0x20 } + text.utf8[length...]
    }

    /// Reads blanks, `NAME="VALUE"` and blanks; nil for anything else.
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

    /// True for the characters of encoding names, versions and yes or no (EncName, VersionNum).
    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"): true
        default: false
        }
    }

    private static func isBlank(_ byte: UInt8) -> Bool { [0x20, 0x09, 0x0A, 0x0D].contains(byte) }

    /// Longer than any realistic declaration.
    private static let limitBytes = 512
}
