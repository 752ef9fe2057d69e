import ATSPolicy
import Text

/// A value that a record's JSON can hold.
protocol FieldValue: Sendable {
    /// The value that a missing key means; nil if every record has the key.
    static var absent: Self? { get }

    /// True if a missing key means this value, so that the key can be omitted to save space.
    var isAbsent: Bool { get }
    /// Reads the output of `write`.
    init(reading decoder: any Decoder) throws
    /// Appends the value as JSON.
    func write(to writer: inout JSONWriter)
}

extension FieldValue {
    static var absent: Self? { nil }
    var isAbsent: Bool { false }
}

extension FieldValue where Self: Decodable {
    init(reading decoder: any Decoder) throws { self = try decoder.singleValueContainer().decode(Self.self) }
}

/// Decodes a value from the standard library's containers. The types of ATSPolicy have no business with decoders, so
/// they are not `Decodable` themselves.
struct Reading<Value: FieldValue>: Decodable {
    let value: Value

    init(from decoder: any Decoder) throws { value = try Value(reading: decoder) }
}

extension KeyedDecodingContainer<FieldKey> {
    func read<Value: FieldValue>(_ type: Value.Type, at key: FieldKey) throws -> Value {
        try decode(Reading<Value>.self, forKey: key).value
    }
}

extension String: FieldValue {
    func write(to writer: inout JSONWriter) { writer.text(self) }
}

extension Bool: FieldValue {
    func write(to writer: inout JSONWriter) { writer.flag(self) }
}

extension Int: FieldValue {
    func write(to writer: inout JSONWriter) { writer.number(Int64(self)) }
}

extension Int64: FieldValue {
    func write(to writer: inout JSONWriter) { writer.number(self) }
}

extension Double: FieldValue {
    /// Milliseconds, the only fractions of a record.
    func write(to writer: inout JSONWriter) {
        writer.milliseconds(Int64(exactly: (self * 1000).rounded()) ?? .max)
    }
}

extension Optional: FieldValue where Wrapped: FieldValue {
    static var absent: Self? { .some(.none) }
    var isAbsent: Bool { self == nil }

    init(reading decoder: any Decoder) throws {
        self = try decoder.singleValueContainer().decodeNil() ? nil : Wrapped(reading: decoder)
    }

    func write(to writer: inout JSONWriter) {
        guard let self else { return writer.raw("null") }
        self.write(to: &writer)
    }
}

extension Array: FieldValue where Element: FieldValue {
    static var absent: Self? { [] }
    var isAbsent: Bool { isEmpty }

    init(reading decoder: any Decoder) throws {
        var list = try decoder.unkeyedContainer()
        self = []
        while !list.isAtEnd { append(try list.decode(Reading<Element>.self).value) }
    }

    func write(to writer: inout JSONWriter) {
        writer.list(self) { $1.write(to: &$0) }
    }
}

extension RecordSource: FieldValue {
    /// Records older than this field came from a gate.
    static var absent: Self? { .gate }

    func write(to writer: inout JSONWriter) { writer.text(rawValue) }

    init(reading decoder: any Decoder) throws {
        let name = try decoder.singleValueContainer().decode(String.self)
        guard let source = RecordSource(rawValue: name) else {
            throw DecodingError.dataCorrupted(
                DecodingError.Context(codingPath: decoder.codingPath, debugDescription: "unknown record source"))
        }
        self = source
    }
}

extension ExceptionFix: FieldValue {
    /// Appends the fix as a dictionary would contain it: the domain, then its keys and values.
    func write(to writer: inout JSONWriter) {
        writer.raw("{")
        writer.text(domain)
        writer.raw(":{")
        var isFirst = true
        for setting in settings {
            if !isFirst { writer.raw(",") }
            isFirst = false
            writer.text(setting.key)
            writer.raw(":")
            switch setting.value {
            case .flag(let flag): writer.flag(flag)
            case .text(let text): writer.text(text)
            }
        }
        writer.raw("}}")
    }

    /// Reads the keys in alphabetical order, because JSON objects are unordered.
    init(reading decoder: any Decoder) throws {
        let domains = try decoder.container(keyedBy: FieldKey.self)
        guard let domain = domains.allKeys.first else {
            throw DecodingError.dataCorrupted(
                DecodingError.Context(codingPath: decoder.codingPath, debugDescription: "no domain"))
        }
        let values = try domains.nestedContainer(keyedBy: FieldKey.self, forKey: domain)
        let keys = values.allKeys.sorted { $0.stringValue < $1.stringValue }
        self.init(
            domain: domain.stringValue,
            settings: try keys.map { key in
                if let flag = try? values.decode(Bool.self, forKey: key) {
                    return Setting(key.stringValue, .flag(flag))
                }
                return Setting(key.stringValue, .text(try values.decode(String.self, forKey: key)))
            })
    }
}
