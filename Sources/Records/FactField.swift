import Text

/// One property of a structure of facts: its name in the store, and how it is written and read.
struct FactField<Sheet>: Sendable {
    /// Appends the comma, the name and the value. Appends nothing for a value that equals a missing field.
    let write: @Sendable (Sheet, inout JSONWriter, _ isFirst: Bool) -> Bool
    let read: @Sendable (inout Sheet, KeyedDecodingContainer<FieldKey>) throws -> Void

    init<Value: FieldValue>(_ key: StaticString, _ path: any WritableKeyPath<Sheet, Value> & Sendable) {
        write = { sheet, writer, isFirst in
            let value = sheet[keyPath: path]
            guard !value.isAbsent else { return false }
            writer.key(key, isFirst: isFirst)
            value.write(to: &writer)
            return true
        }
        read = { sheet, object in
            if object.contains(FieldKey(key)) {
                sheet[keyPath: path] = try object.read(Value.self, at: FieldKey(key))
            } else if let absent = Value.absent {
                sheet[keyPath: path] = absent
            }
        }
    }
}

/// A structure of facts that a store can keep. A new property needs one line in `fields`; a test counts them.
protocol StoredFacts: FieldValue {
    /// The value before any field is read.
    static var blank: Self { get }
    static var fields: [FactField<Self>] { get }
}

extension StoredFacts {
    init(reading decoder: any Decoder) throws {
        let object = try decoder.container(keyedBy: FieldKey.self)
        self = Self.blank
        for field in Self.fields { try field.read(&self, object) }
    }

    func write(to writer: inout JSONWriter) {
        var isFirst = true
        writer.raw("{")
        for field in Self.fields where field.write(self, &writer, isFirst) { isFirst = false }
        writer.raw("}")
    }
}

/// A value with a word for each of its cases.
protocol StoredWord: FieldValue {
    var factWord: String { get }
    init?(factWord word: String)
}

extension StoredWord {
    init(reading decoder: any Decoder) throws {
        let word = try decoder.singleValueContainer().decode(String.self)
        guard let value = Self(factWord: word) else {
            throw DecodingError.dataCorrupted(
                DecodingError.Context(codingPath: decoder.codingPath, debugDescription: "unknown: \(word)"))
        }
        self = value
    }

    func write(to writer: inout JSONWriter) { writer.text(factWord) }
}

extension StoredWord where Self: RawRepresentable, RawValue == String {
    var factWord: String { rawValue }
    init?(factWord word: String) { self.init(rawValue: word) }
}
