import Text

/// One key of an object in a record's JSON: how it is written, which part of it loads share,
/// which names it can hold, and how it reads back.
///
/// A field stands once, in its ``FieldList``; JSON, the stored form, the stored entries and ``Reported`` all come from
/// that line, and so do the comparison of forms and the masks.
public struct RecordField<List: FieldList, Value: Sendable>: Sendable {
    /// By address: a copy of a large structure for each field would cost more than writing it.
    typealias WriteShared = @Sendable (inout List.Shared, inout JSONWriter) -> Void
    /// Puts what it is given in the place of names, each by its kind.
    package typealias MaskPart = @Sendable (inout List.Shared, (NameKind, String) -> String) -> Void

    let key: StaticString
    /// The key's name in older records.
    let formerKey: StaticString?
    /// Left out where it says nothing; the key is then part of the entry.
    let isOmittable: Bool
    /// Appends the value, or a blank for each of `entries`.
    let writeForm: WriteShared
    /// What one load writes into the blanks of the form.
    let entries: [EntryWriter]
    let cut: FieldCut
    /// What it is made of, where loads share it.
    private(set) var sharing: [FieldSharing]
    /// Names that it can hold, by the keys below it; its own key is empty.
    private(set) var nameKinds: [String: NameKind]
    /// Masks it in a part that is not written yet; nil where the part can not be changed in its place.
    private(set) var mask: MaskPart?
    /// The same of a whole record; tells whether anything was masked.
    private(set) var maskRecord: (@Sendable (inout LoadRecord, (NameKind, String) -> String) -> Bool)?
    private let readValue: @Sendable (KeyedDecodingContainer<FieldKey>, FieldKey) throws -> Value
    /// What older records that lack the key mean; nil where none does.
    private let absent: Value?
    private let writeValue: @Sendable (Value, inout JSONWriter) -> Void

    init(
        _ key: StaticString, formerly formerKey: StaticString? = nil, isOmittable: Bool = false,
        form writeForm: @escaping WriteShared, entries: [EntryWriter] = [], cut: FieldCut? = nil,
        sharing: [FieldSharing] = []
    ) where Value: FieldValue {
        self.init(key, formerly: formerKey, isOmittable: isOmittable, form: writeForm, entries: entries, cut: cut) {
            $0.write(to: &$1)
        }
        self.sharing = sharing
    }

    /// The same, and masks look there for names.
    package func holding(_ kind: NameKind) -> RecordField {
        var field = self
        field.nameKinds[""] = kind
        return field
    }

    /// The same, and `mask` puts what it is given in the place of names in a part that is not written yet.
    package func holding(
        _ kind: NameKind, _ mask: @escaping @Sendable (inout List.Shared, (String) -> String) -> Void
    ) -> RecordField {
        holding(kind).masking(kind, mask)
    }

    /// The same of a record's own text.
    func holding(_ kind: NameKind, at member: any WritableKeyPath<LoadRecord, String?> & Sendable) -> RecordField {
        var field = holding(kind)
        field.maskRecord = { record, mask in
            guard let old = record[keyPath: member] else { return false }
            let new = mask(kind, old)
            if new != old { record[keyPath: member] = new }
            return new != old
        }
        return field
    }

    /// The same, where keys of the written object are the names.
    func masking(
        _ kind: NameKind, _ mask: @escaping @Sendable (inout List.Shared, (String) -> String) -> Void
    ) -> RecordField {
        var field = self
        field.mask = { part, name in mask(&part) { name(kind, $0) } }
        return field
    }

    /// The same, with objects of a list below it.
    func holding<Part: FieldList>(_ list: Part.Type) -> RecordField {
        var field = self
        field.nameKinds = Part.catalog.nameKinds
        return field
    }

    /// - Parameter writeValue: writes what was read in the way that the form or the entry does.
    init(
        _ key: StaticString, formerly formerKey: StaticString? = nil, isOmittable: Bool = false,
        form writeForm: @escaping WriteShared, entries: [EntryWriter] = [], cut: FieldCut? = nil,
        again writeValue: @escaping @Sendable (Value, inout JSONWriter) -> Void
    ) where Value: FieldValue {
        self.key = key
        self.formerKey = formerKey
        self.isOmittable = isOmittable
        self.writeForm = writeForm
        self.entries = entries
        self.cut = cut ?? (entries.isEmpty ? .nothing : .value)
        self.writeValue = writeValue
        sharing = []
        nameKinds = [:]
        mask = nil
        maskRecord = nil
        absent = Value.absent
        readValue = { try $0.read(Value.self, at: $1) }
    }
}

extension RecordField: AnyRecordField {
    func read(from object: KeyedDecodingContainer<FieldKey>) throws -> any Sendable {
        for key in [key, formerKey].compactMap({ $0.map(FieldKey.init) }) where object.contains(key) {
            return try readValue(object, key)
        }
        if let absent { return absent }
        return try readValue(object, FieldKey(key))
    }

    func write(_ value: any Sendable, to writer: inout JSONWriter) {
        guard let value = value as? Value else { preconditionFailure("\(key) was read by another field") }
        writeValue(value, &writer)
    }
}

/// Writes what one load puts into one blank.
struct EntryWriter: Sendable {
    let write: @Sendable (LoadRecord, inout JSONWriter) -> Void
}

extension EntryWriter {
    /// Writes what `parts` write, with blanks between.
    init(all parts: [EntryWriter]) {
        guard let first = parts.first else {
            self.init { _, _ in }
            return
        }
        self = parts.dropFirst().reduce(first) { before, next in
            EntryWriter {
                before.write($0, &$1)
                $1.blank()
                next.write($0, &$1)
            }
        }
    }
}

/// A field of `List`, whatever its value is.
protocol AnyRecordField<List>: Sendable {
    associatedtype List: FieldList

    var key: StaticString { get }
    var isOmittable: Bool { get }
    var writeForm: @Sendable (inout List.Shared, inout JSONWriter) -> Void { get }
    var entries: [EntryWriter] { get }
    var formerKey: StaticString? { get }
    var cut: FieldCut { get }
    var sharing: [FieldSharing] { get }
    var nameKinds: [String: NameKind] { get }
    var mask: (@Sendable (inout List.Shared, (NameKind, String) -> String) -> Void)? { get }
    var maskRecord: (@Sendable (inout LoadRecord, (NameKind, String) -> String) -> Bool)? { get }

    /// The field's value in `object`, of the field's type.
    func read(from object: KeyedDecodingContainer<FieldKey>) throws -> any Sendable
    /// Appends what `read` gave.
    func write(_ value: any Sendable, to writer: inout JSONWriter)
}

/// The name of a field as `Decodable` wants it.
struct FieldKey: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(_ key: StaticString) { stringValue = key.description }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
}
