import ATSPolicy
import Foundation

#if canImport(FoundationXML)
import FoundationXML
#endif

/// Reads XML property lists with the lines of their keys. Foundation's own reader has no lines, takes the last of two
/// equal keys in silence, and falls back to the old-style format on any error.
enum XMLPropertyList {
    /// - Throws: for XML that is broken, and for elements that property lists do not have.
    static func parse(_ bytes: [UInt8], source: String) throws(DeclarationError) -> PropertyNode {
        // FoundationXML of Swift 6.3 on Linux traps on element names that are not UTF-8.
        guard String(validating: bytes, as: UTF8.self) != nil else {
            throw DeclarationError(source: source, what: "the XML is not UTF-8 text")
        }
        // No property list declares entities of its own; refusing them keeps expansion bombs out.
        guard !bytes.contains("<!ENTITY") else {
            throw DeclarationError(source: source, what: "the document declares XML entities, which is not allowed")
        }
        // FoundationXML of Swift 6.3 on Linux also traps on an instruction without data; property lists have none but
        // the XML declaration.
        guard !bytes.dropFirst(Self.declarationLength(bytes)).contains("<?") else {
            throw DeclarationError(source: source, what: "the document has a processing instruction (<?...)")
        }
        let parser = XMLParser(data: Data(bytes))
        parser.shouldResolveExternalEntities = false
        let builder = XMLPropertyListBuilder(source: source)
        parser.delegate = builder
        let isWellFormed = parser.parse()
        if let failure = builder.failure { throw failure }
        guard isWellFormed, !builder.isPlistOpen, let root = builder.root else {
            throw DeclarationError(
                source: source, line: max(1, parser.lineNumber),
                what: "the XML is broken or ends too early\(builder.openElements)")
        }
        return root
    }

    /// Bytes up to and with the opening of `<?xml `, where the document begins with it.
    private static func declarationLength(_ bytes: [UInt8]) -> Int {
        let opening = Array("<?xml".utf8)
        let blanks: [UInt8] = [0x20, 0x09, 0x0A, 0x0D]
        guard bytes.count > opening.count, bytes.starts(with: opening), blanks.contains(bytes[opening.count]) else {
            return 0
        }
        return opening.count
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
