import ATSPolicy
import Foundation

#if canImport(FoundationXML)
import FoundationXML
#endif

/// Builds the tree from the events of the XML parser. Ignores all events after the first failure.
final class XMLPropertyListBuilder: NSObject, XMLParserDelegate {
    private(set) var root: PropertyNode?
    private(set) var failure: DeclarationError?
    private(set) var budget: DecodingBudget

    private struct PendingKey {
        let name: String
        let line: Int
    }

    /// An open <dict> or <array>; only one of the two lists is used.
    private struct Container {
        let isDictionary: Bool
        let line: Int
        var nodes: [PropertyNode] = []
        var members: [PropertyMember] = []
        var key: PendingKey?
    }

    private let source: String
    private var stack: [Container] = []
    /// Name and text of the open leaf element, and the line where it begins.
    private var leaf: (name: String, text: String, line: Int)?
    private var hasPlist = false
    /// FoundationXML does not report a missing end if only the last tag is cut off.
    private(set) var isPlistOpen = false

    init(source: String, budget: DecodingBudget) {
        self.source = source
        self.budget = budget
    }

    /// Part of the error for a truncated or badly nested document: the key path, and the innermost element without an
    /// end tag, because the parser stops at a later line.
    var openElements: String { openAtError ?? words(withElement: true) }

    /// The first error of the parser. It may go on after a wrong end tag, and then closes another element with it.
    private var openAtError: String?

    func parser(_ parser: XMLParser, parseErrorOccurred error: any Error) {
        let isAboutEnds = Self.errorsOfEnds.contains((error as NSError).code)
        openAtError = openAtError ?? words(withElement: isAboutEnds)
    }

    /// XML_ERR_DOCUMENT_END, XML_ERR_TAG_NAME_MISMATCH, XML_ERR_TAG_NOT_FINISHED, XML_ERR_NOT_WELL_BALANCED. The raw
    /// values of `XMLParser.ErrorCode` differ from the reported codes on Linux. Source: libxml2, libxml/xmlerror.h.
    private static let errorsOfEnds: Set = [5, 76, 77, 85]

    private func words(withElement: Bool) -> String {
        let path = keyPath
        let open = leaf.map { ($0.name, $0.line) } ?? stack.last.map { ($0.isDictionary ? "dict" : "array", $0.line) }
        let element = withElement ? open.map { ": <\($0.0)> in line \($0.1) has no end tag" } : nil
        return (path.isEmpty ? "" : " inside \(path)") + (element ?? "")
    }

    private var keyPath: String {
        stack.compactMap(\.key?.name).joined(separator: ".")
    }

    private func fail(_ line: Int, _ what: String) {
        guard failure == nil else { return }
        let path = keyPath
        failure = DeclarationError(source: source, keyPath: path.isEmpty ? nil : path, line: line, what: what)
    }

    func parser(
        _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
        attributes: [String: String] = [:]
    ) {
        guard failure == nil else { return }
        let line = parser.lineNumber
        guard budget.charge(0) else { return fail(line, DecodingBudget.exhausted) }
        if let leaf { return fail(leaf.line, "<\(leaf.name)> has no end tag: <\(name)> follows in line \(line)") }
        switch name {
        case "plist":
            if hasPlist || root != nil || !stack.isEmpty { fail(line, "<plist> must be the only root element") }
            hasPlist = true
            isPlistOpen = true
        case "dict", "array":
            guard mayHoldValue(line) else { return }
            guard stack.count < DeclarationLimits.depth else { return fail(line, "nested too deeply") }
            stack.append(Container(isDictionary: name == "dict", line: line))
        case "key":
            guard let container = stack.last, container.isDictionary, container.key == nil else {
                return fail(line, "<key> instead of a value")
            }
            leaf = (name, "", line)
        case "string", "integer", "real", "true", "false", "data", "date":
            guard mayHoldValue(line) else { return }
            leaf = (name, "", line)
        default:
            fail(line, "<\(name)> is not an element of a property list")
        }
    }

    /// True if a value is allowed here: once at the root, in an array, or after a key.
    private func mayHoldValue(_ line: Int) -> Bool {
        if let container = stack.last {
            if container.isDictionary, container.key == nil { fail(line, "a value without a <key>") }
        } else if root != nil {
            fail(line, "a second root value")
        }
        return failure == nil
    }

    func parser(_ parser: XMLParser, foundCharacters string: String) {
        guard failure == nil else { return }
        if leaf != nil {
            guard budget.charge(string.utf8.count) else { return fail(parser.lineNumber, DecodingBudget.exhausted) }
            leaf?.text += string
        } else if !string.utf8.allSatisfy({ $0 == 0x20 || 0x09...0x0D ~= $0 }), !string.allSatisfy(\.isWhitespace) {
            fail(parser.lineNumber, "text between elements")
        }
    }

    func parser(_ parser: XMLParser, foundCDATA block: Data) {
        self.parser(parser, foundCharacters: String(decoding: block, as: UTF8.self))
    }

    func parser(_ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?) {
        guard failure == nil else { return }
        if let closed = leaf {
            leaf = nil
            guard closed.name != "key" else {
                stack[stack.count - 1].key = PendingKey(name: closed.text, line: closed.line)
                return
            }
            guard let value = XMLLeaf.value(of: closed.name, text: closed.text) else {
                return fail(closed.line, "<\(closed.name)> contains \"\(closed.text.prefix(40))\"")
            }
            return place(PropertyNode(value, line: closed.line))
        }
        if name == "plist" { isPlistOpen = false }
        guard name == "dict" || name == "array", let container = stack.last else { return }
        if let key = container.key { return fail(key.line, "the key has no value") }
        stack.removeLast()
        let value: PropertyValue = container.isDictionary ? .dictionary(container.members) : .array(container.nodes)
        place(PropertyNode(value, line: container.line))
    }

    private func place(_ node: PropertyNode) {
        let top = stack.count - 1
        guard top >= 0 else {
            root = node
            return
        }
        guard let key = stack[top].key else {
            stack[top].nodes.append(node)
            return
        }
        stack[top].key = nil
        stack[top].members.append(PropertyMember(key: key.name, keyLine: key.line, node: node))
    }
}

/// Values of elements without children.
enum XMLLeaf {
    /// nil for text that is invalid in the element.
    static func value(of name: String, text: String) -> PropertyValue? {
        if name == "string" { return .string(text) }
        let trimmed = text.isEmpty ? text : text.trimmingCharacters(in: .whitespacesAndNewlines)
        switch name {
        case "true": return trimmed.isEmpty ? .boolean(true) : nil
        case "false": return trimmed.isEmpty ? .boolean(false) : nil
        case "integer": return integer(trimmed).map(PropertyValue.integer)
        case "real": return Double(trimmed).map(PropertyValue.real)
        case "date": return .date
        case "data":
            let packed = String(text.unicodeScalars.filter { !$0.properties.isWhitespace })
            return Data(base64Encoded: packed).map { .data(Array($0)) }
        default: return nil
        }
    }

    /// Decimal, or hexadecimal after 0x, as Apple's readers accept it.
    private static func integer(_ text: String) -> Int64? {
        let isNegative = text.hasPrefix("-")
        let digits = isNegative || text.hasPrefix("+") ? text.dropFirst() : text[...]
        let isHexadecimal = digits.lowercased().hasPrefix("0x")
        let body = isHexadecimal ? digits.dropFirst(2) : digits
        guard body.first.map({ $0.isHexDigit }) == true else { return nil }
        return Int64((isNegative ? "-" : "") + body, radix: isHexadecimal ? 16 : 10)
    }
}
