import ATSPolicy
import Foundation

#if canImport(FoundationXML)
import FoundationXML
#endif

/// Reads XML property lists with the lines of their keys. Foundation's own reader has no lines, uses the last of two
/// equal keys without a message, and falls back to the old-style format on any error.
enum XMLPropertyList {
    /// - Throws: for invalid XML, and for elements that property lists do not have.
    static func parse(
        _ text: PolicyText, source: String, within budget: inout DecodingBudget
    ) throws(DeclarationError) -> PropertyNode {
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
        // libxml2 refuses documents of more than 10 MB in one piece (XML_MAX_LOOKUP_LIMIT); a stream is read in pieces.
        let parser = XMLParser(stream: InputStream(data: Data(withLineFeeds(bytes))))
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
