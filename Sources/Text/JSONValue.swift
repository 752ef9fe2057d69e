/// A JSON value that keeps the order of its members (RFC 8259), for output that is not performance-critical.
public enum JSONValue: Sendable {
    case null
    case flag(Bool)
    case number(Int)
    case string(String)
    case array([JSONValue])
    case object([(key: String, value: JSONValue)])
    /// Text that is already JSON.
    case json(String)

    /// A string, or null if there is no text.
    public static func text(_ text: String?) -> JSONValue { text.map { .string($0) } ?? .null }

    /// A number, or null if there is none.
    public static func number(_ number: Int?) -> JSONValue { number.map { .number($0) } ?? .null }

    /// An array of strings.
    public static func texts(_ texts: [String]) -> JSONValue { .array(texts.map { .string($0) }) }

    /// The same value with all its texts and keys printable, except for line feeds. For documents that are displayed.
    public var printable: JSONValue {
        switch self {
        case .null, .flag, .number, .json: self
        case .string(let text): .string(text.printableLines)
        case .array(let values): .array(values.map(\.printable))
        case .object(let members): .object(members.map { ($0.key.printable, $0.value.printable) })
        }
    }

    /// The value on one line, without blanks.
    public var text: String {
        var writer = JSONWriter()
        write(to: &writer)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    private func write(to writer: inout JSONWriter) {
        switch self {
        case .null: writer.raw("null")
        case .flag(let flag): writer.flag(flag)
        case .number(let number): writer.number(Int64(number))
        case .string(let text): writer.text(text)
        case .json(let text): writer.bytes.append(contentsOf: text.utf8)
        case .array(let values): writer.list(values) { $1.write(to: &$0) }
        case .object(let members):
            writer.raw("{")
            for (index, member) in members.enumerated() {
                if index > 0 { writer.raw(",") }
                writer.text(member.key)
                writer.raw(":")
                member.value.write(to: &writer)
            }
            writer.raw("}")
        }
    }
}
