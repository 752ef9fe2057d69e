import ATSPolicy
import Foundation

#if canImport(FoundationXML)
import FoundationXML
#endif

/// An element of an XML document that is not a property list.
struct XMLElementNode {
    let name: String
    let attributes: [String: String]
    let line: Int
    var children: [XMLElementNode] = []
    var text = ""

    /// The children with a name.
    func all(_ name: String) -> [XMLElementNode] { children.filter { $0.name == name } }

    /// The element as a value of a property list; nil if it is not one.
    var property: PropertyNode? {
        switch name {
        case "dict":
            var members: [PropertyMember] = []
            var key: XMLElementNode?
            for child in children {
                guard let pending = key else {
                    guard child.name == "key" else { return nil }
                    key = child
                    continue
                }
                guard let value = child.property else { return nil }
                members.append(PropertyMember(key: pending.text, keyLine: pending.line, node: value))
                key = nil
            }
            return key == nil ? PropertyNode(.dictionary(members), line: line) : nil
        case "array":
            let items = children.compactMap(\.property)
            return items.count == children.count ? PropertyNode(.array(items), line: line) : nil
        default:
            return XMLLeaf.value(of: name, text: text).map { PropertyNode($0, line: line) }
        }
    }
}

/// Reads an XML document into a tree, within the limits of a policy file.
final class XMLTreeBuilder: NSObject, XMLParserDelegate {
    private var stack: [XMLElementNode] = []
    private var root: XMLElementNode?
    private var failure: DeclarationError?
    private var budget: DecodingBudget
    private let source: String

    private init(source: String, budget: DecodingBudget) {
        self.source = source
        self.budget = budget
    }

    /// - Throws: for invalid XML, and beyond the limits.
    static func root(
        of bytes: [UInt8], source: String, within budget: inout DecodingBudget
    ) throws(DeclarationError) -> XMLElementNode {
        let parser = XMLParser(data: Data(bytes))
        parser.shouldResolveExternalEntities = false
        let builder = XMLTreeBuilder(source: source, budget: budget)
        parser.delegate = builder
        let isWellFormed = parser.parse()
        budget = builder.budget
        if let failure = builder.failure { throw failure }
        guard isWellFormed, let root = builder.root else {
            throw DeclarationError(
                source: source, line: max(1, parser.lineNumber), what: "the XML is invalid or ends too early")
        }
        return root
    }

    private func fail(_ what: String, at line: Int) {
        if failure == nil { failure = DeclarationError(source: source, line: line, what: what) }
    }

    func parser(
        _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
        attributes: [String: String] = [:]
    ) {
        guard failure == nil else { return }
        let size = attributes.reduce(0) { $0 + $1.key.utf8.count + $1.value.utf8.count }
        guard budget.charge(size) else { return fail(DecodingBudget.exhausted, at: parser.lineNumber) }
        guard stack.count < DeclarationLimits.depth else { return fail("nested too deeply", at: parser.lineNumber) }
        stack.append(XMLElementNode(name: name, attributes: attributes, line: parser.lineNumber))
    }

    func parser(_ parser: XMLParser, foundCharacters string: String) {
        guard failure == nil, let top = stack.indices.last else { return }
        guard budget.charge(string.utf8.count) else { return fail(DecodingBudget.exhausted, at: parser.lineNumber) }
        stack[top].text += string
    }

    func parser(_ parser: XMLParser, foundCDATA block: Data) {
        self.parser(parser, foundCharacters: String(decoding: block, as: UTF8.self))
    }

    func parser(_ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?) {
        guard failure == nil, let closed = stack.popLast() else { return }
        if let top = stack.indices.last { stack[top].children.append(closed) } else { root = closed }
    }
}
