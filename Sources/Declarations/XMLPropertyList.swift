import ATSPolicy
import Foundation

#if canImport(FoundationXML)
import FoundationXML
#endif

/// Reads XML property lists with the lines of their keys. Foundation's own reader has no lines, uses the last of two
/// equal keys without a message, and falls back to the old-style format on any error.
enum XMLPropertyList {
    /// Reads a property list, a part of one, or a project file of Cordova.
    ///
    /// - Returns: the root, and whether the text is a complete property list.
    /// - Throws: for invalid XML, and for elements that property lists do not have.
    static func parse(
        _ text: PolicyText, source: String, within budget: inout DecodingBudget
    ) throws(DeclarationError) -> (root: PropertyNode, isDocument: Bool) {
        let bytes = withLineFeeds(try checked(text, source: source))
        let first = firstElement(of: bytes)
        if CordovaProject.roots.contains(first) {
            let root = try XMLTreeBuilder.root(of: bytes, source: source, within: &budget)
            return (try CordovaProject(root, source: source).tree(), false)
        }
        guard first == "key" else { return (try list(bytes, source: source, within: &budget), first == "plist") }
        // A copied part of a dictionary has no root element. Its lines stay the same.
        let whole = Array("<plist><dict>".utf8) + bytes + Array("</dict></plist>".utf8)
        return (try list(whole, source: source, within: &budget), false)
    }

    /// The document without its XML declaration.
    ///
    /// - Throws: for text that XML parsers on some platforms do not survive, and for entities.
    private static func checked(_ text: PolicyText, source: String) throws(DeclarationError) -> [UInt8] {
        // FoundationXML of Swift 6.3 on Linux traps on element names that are not UTF-8.
        guard String(validating: text.utf8, as: UTF8.self) != nil else {
            throw DeclarationError(source: source, what: "the XML is not UTF-8 text")
        }
        // XML contains no NUL (XML 1.0 section 2.2), and libxml2 reads such text as UTF-16 or UTF-32 without a mark.
        guard !text.utf8.contains(0) else {
            throw DeclarationError(source: source, what: "the XML contains NUL bytes: save the file as UTF-8")
        }
        let declaration = try XMLDeclaration(text.utf8, source: source)
        let bytes = try declaration?.removed(from: text, source: source) ?? text.utf8
        // No property list declares entities; rejecting them prevents expansion attacks.
        guard !bytes.contains("<!ENTITY") else {
            throw DeclarationError(source: source, what: "the document declares XML entities, which is not allowed")
        }
        // FoundationXML of Swift 6.3 on Linux also traps on an instruction without data; property lists have none.
        guard !bytes.contains("<?") else {
            throw DeclarationError(source: source, what: "the document has a processing instruction (<?...)")
        }
        return bytes
    }

    /// The name of the first element, after comments and the document type; empty if there is none.
    private static func firstElement(of bytes: [UInt8]) -> String {
        var rest = bytes[...]
        while let open = rest.firstIndex(of: UInt8(ascii: "<")) {
            rest = rest[open...]
            if rest.starts(with: "<!--".utf8) {
                while !rest.isEmpty, !rest.starts(with: "-->".utf8) { rest = rest.dropFirst() }
            } else if rest.starts(with: "<!".utf8) {
                rest = rest.drop { $0 != UInt8(ascii: ">") }
            } else {
                let name = rest.dropFirst().prefix { $0 > 0x20 && $0 != UInt8(ascii: ">") && $0 != UInt8(ascii: "/") }
                return String(decoding: name, as: UTF8.self)
            }
        }
        return ""
    }

    private static func list(
        _ bytes: [UInt8], source: String, within budget: inout DecodingBudget
    ) throws(DeclarationError) -> PropertyNode {
        // libxml2 refuses documents of more than 10 MB in one piece (XML_MAX_LOOKUP_LIMIT); a stream is read in pieces.
        let parser = XMLParser(stream: InputStream(data: Data(bytes)))
        parser.shouldResolveExternalEntities = false
        let builder = XMLPropertyListBuilder(source: source, budget: budget)
        parser.delegate = builder
        let isWellFormed = parser.parse()
        budget = builder.budget
        if builder.failure != nil || !isWellFormed, let error = PreprocessorLine.error(in: bytes, source: source) {
            throw error
        }
        if let failure = builder.failure { throw failure }
        guard isWellFormed, !builder.isPlistOpen, let root = builder.root else {
            throw DeclarationError(
                source: source, line: max(1, parser.lineNumber),
                what: "the XML is invalid or ends too early\(builder.openElements)")
        }
        return root
    }

    /// Replaces each CR without LF by LF: XML 1.0 section 2.11 treats them as equal, but libxml2 does not count CR as a
    /// line.
    private static func withLineFeeds(_ bytes: [UInt8]) -> [UInt8] {
        guard bytes.contains(0x0D) else { return bytes }
        var result = bytes
        for index in bytes.indices where bytes[index] == 0x0D {
            if index + 1 == bytes.count || bytes[index + 1] != 0x0A { result[index] = 0x0A }
        }
        return result
    }
}

extension RandomAccessCollection<UInt8> where SubSequence: RandomAccessCollection<UInt8> {
    fileprivate func contains(_ needle: StaticString) -> Bool {
        let wanted = needle.withUTF8Buffer { Array($0) }
        guard let first = wanted.first else { return true }
        var from = startIndex
        while let hit = self[from...].firstIndex(of: first) {
            if self[hit...].starts(with: wanted) { return true }
            from = index(after: hit)
        }
        return false
    }
}
