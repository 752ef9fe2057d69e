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
}

extension [UInt8] {
    fileprivate func contains(_ needle: StaticString) -> Bool {
        let wanted = needle.withUTF8Buffer { Array($0) }
        guard let first = wanted.first else { return true }
        var rest = self[...]
        while let hit = rest.firstIndex(of: first) {
            if rest[hit...].starts(with: wanted) { return true }
            rest = rest[(hit + 1)...]
        }
        return false
    }
}
