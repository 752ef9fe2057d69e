/// What the lab says as JSON.
enum JSONValue {
    case null
    case flag(Bool)
    case number(Int)
    case string(String)
    case array([JSONValue])
    case object([(key: String, value: JSONValue)])

    /// null where there is no text.
    static func text(_ text: String?) -> JSONValue { text.map { .string($0) } ?? .null }

    /// On one line.
    var text: String {
        switch self {
        case .null: "null"
        case .flag(let flag): "\(flag)"
        case .number(let number): "\(number)"
        case .string(let text): Self.quoted(text)
        case .array(let values): "[" + values.map(\.text).joined(separator: ", ") + "]"
        case .object(let members):
            "{" + members.map { Self.quoted($0.key) + ": " + $0.value.text }.joined(separator: ", ") + "}"
        }
    }

    /// The texts are the lab's own, so only what they can hold is escaped: RFC 8259 section 7.
    private static func quoted(_ text: String) -> String {
        "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
    }
}
