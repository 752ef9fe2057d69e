/// A value of a property list or JSON file, with the line it was read from.
public struct PropertyNode: Sendable, Hashable {
    public var value: PropertyValue
    /// Counted from 1; nil if the format has no lines (binary property lists).
    public var line: Int?

    public init(_ value: PropertyValue, line: Int? = nil) {
        self.value = value
        self.line = line
    }
}

/// The values of a property list. Booleans and numbers are separate, since ATS reads them differently
/// (docs/law/keys.md#types-of-values).
public indirect enum PropertyValue: Sendable, Hashable {
    case boolean(Bool)
    case integer(Int64)
    case real(Double)
    case string(String)
    case data([UInt8])
    case date
    case array([PropertyNode])
    case dictionary([PropertyMember])

    /// For messages: `a string`, `a dictionary` and so on.
    public var kind: String {
        switch self {
        case .boolean: "a Boolean"
        case .integer, .real: "a number"
        case .string: "a string"
        case .data: "data"
        case .date: "a date"
        case .array: "an array"
        case .dictionary: "a dictionary"
        }
    }

    /// The value in a few words, for example `the string "YES"`; long text is truncated.
    public var summary: String {
        switch self {
        case .boolean(let flag): "the Boolean \(flag)"
        case .integer(let number): "the number \(number)"
        case .real(let number): "the number \(number)"
        case .string(let text): text.count > 60 ? "the string \"\(text.prefix(60))...\"" : "the string \"\(text)\""
        case .data, .date, .array, .dictionary: kind
        }
    }
}

/// A key and its value. Dictionaries are lists of members, so that order and repeated keys stay visible.
public struct PropertyMember: Sendable, Hashable {
    public var key: String
    public var keyLine: Int?
    public var node: PropertyNode

    public init(key: String, keyLine: Int? = nil, node: PropertyNode) {
        self.key = key
        self.keyLine = keyLine
        self.node = node
    }
}

extension [PropertyMember] {
    /// Returns the member with this key; the last one if the key is repeated, as in Apple's readers.
    public func last(_ key: String) -> PropertyMember? {
        last { $0.key == key }
    }
}
