import Text

/// One key of an object in a record's JSON: how it is written and read, which part of it loads share, and which names
/// it can contain.
///
/// A field is declared once, in its ``FieldList``. JSON, the stored form, the stored entries, ``DecodedObject``, the
/// comparison of forms and the masks all come from that line.
public struct RecordField<List: FieldList, Value: Sendable>: Sendable {
    /// Passed by address: a copy of a large structure for each field would cost more than writing it.
    typealias WriteShared = @Sendable (inout List.Shared, inout JSONWriter) -> Void
    package typealias Mask = @Sendable (inout List.Holder, inout MaskRun) -> Void

    let key: StaticString
    /// The key's name in older records.
    let formerKey: StaticString?
    /// True if the key is left out when it has no value; the key is then part of the entry.
    let isOmittable: Bool
    /// Appends the value, or a blank for each of `entries`.
    let writeForm: WriteShared
    /// The writers of one load's values for the blanks of the form.
    let entries: [EntryWriter]
    let cut: EntryPart
    /// The roots of a field that loads share.
    private(set) var sharing: [FieldSharing]
    /// Kinds of the names that it can contain, by the keys below it; its own key is empty. Used to mask written
    /// records.
    private(set) var nameKinds: [String: NameKind]
    /// Masks the same names before they are written.
    private(set) var mask: Mask?
    /// Its item in a record's `masked` list; nil for its key.
    private(set) var maskedPlace: MaskedField?
    /// True for parts of the diagnosis: `masked` of a record lists them before the other fields that differ with each
    /// load.
    let isDiagnosed: Bool
    private let readValue: @Sendable (KeyedDecodingContainer<FieldKey>, FieldKey) throws -> Value
    /// The value for older records that lack the key; nil if every record has it.
    private let absent: Value?
    private let writeValue: @Sendable (Value, inout JSONWriter) -> Void

    init(
        _ key: StaticString, formerly formerKey: StaticString? = nil, isOmittable: Bool = false,
        form writeForm: @escaping WriteShared, entries: [EntryWriter] = [], cut: EntryPart? = nil,
        sharing: [FieldSharing] = [], isDiagnosed: Bool = false
    ) where Value: FieldValue {
        self.init(
            key, formerly: formerKey, isOmittable: isOmittable, form: writeForm, entries: entries, cut: cut,
            isDiagnosed: isDiagnosed
        ) {
            $0.write(to: &$1)
        }
        self.sharing = sharing
    }

    /// - Parameter writeValue: writes a value that was read, as the form or the entry does.
    init(
        _ key: StaticString, formerly formerKey: StaticString? = nil, isOmittable: Bool = false,
        form writeForm: @escaping WriteShared, entries: [EntryWriter] = [], cut: EntryPart? = nil,
        isDiagnosed: Bool = false, again writeValue: @escaping @Sendable (Value, inout JSONWriter) -> Void
    ) where Value: FieldValue {
        self.key = key
        self.formerKey = formerKey
        self.isOmittable = isOmittable
        self.writeForm = writeForm
        self.entries = entries
        self.cut = cut ?? (entries.isEmpty ? .nothing : .value)
        self.writeValue = writeValue
        sharing = []
        self.isDiagnosed = isDiagnosed
        nameKinds = [:]
        mask = nil
        maskedPlace = nil
        absent = Value.absent
        readValue = { try $0.read(Value.self, at: $1) }
    }
}

/// The names in a field: their kinds, and where they are before they are written. A field that declares one must
/// declare the other; the catalogue checks it for lists below.
extension RecordField {
    /// Returns a field whose texts at `place` are names.
    package func holding<Text: MaskedText>(
        _ kind: NameKind, at place: any WritableKeyPath<List.Holder, Text> & Sendable
    ) -> RecordField {
        holding(kind) { $0[keyPath: place] = $0[keyPath: place].masked(by: $1) }
    }

    /// Returns a field whose texts at a place in an optional value are names.
    package func holding<Outer, Text: MaskedText>(
        _ kind: NameKind, at outer: any WritableKeyPath<List.Holder, Outer?> & Sendable,
        _ place: any WritableKeyPath<Outer, Text> & Sendable
    ) -> RecordField {
        holding(kind) { holder, mask in
            guard var inner = holder[keyPath: outer] else { return }
            inner[keyPath: place] = inner[keyPath: place].masked(by: mask)
            holder[keyPath: outer] = inner
        }
    }

    /// Returns a field whose names no key path can reach.
    ///
    /// - Parameter change: replaces each name with the result of the closure.
    package func holding(
        _ kind: NameKind, _ change: @escaping @Sendable (inout List.Holder, (String) -> String) -> Void
    ) -> RecordField {
        var field = masking { holder, run in change(&holder) { run.text(kind, $0) } }
        field.nameKinds[""] = kind
        return field
    }

    /// Returns a field whose content `mask` masks completely.
    func masking(_ mask: @escaping Mask) -> RecordField {
        var field = self
        field.mask = mask
        return field
    }

    /// Returns a field whose value consists of objects of a list.
    func holding<Part: FieldList>(_ list: Part.Type) -> RecordField {
        var field = self
        field.nameKinds = Part.catalog.nameKinds
        return field
    }

    /// Returns a field that a record's `masked` lists by another name than its key.
    func listed(as name: String, _ part: URLMask.Parts = []) -> RecordField {
        var field = self
        field.maskedPlace = MaskedField(name: name, parts: part)
        return field
    }
}

/// The places of the names of a list below.
extension RecordField {
    package func names<Part: FieldList>(
        at place: any WritableKeyPath<List.Holder, [Part.Holder]> & Sendable
    ) -> RecordField
    where Value == [DecodedObject<Part>] {
        masking { holder, run in
            var parts = holder[keyPath: place]
            for index in parts.indices { Part.catalog.mask(&parts[index], by: &run) }
            if run.isChanged { holder[keyPath: place] = parts }
        }
    }

    package func names<Part: FieldList>(
        at place: any WritableKeyPath<List.Holder, Part.Holder?> & Sendable
    ) -> RecordField
    where Value == DecodedObject<Part>? {
        masking { holder, run in
            guard var part = holder[keyPath: place] else { return }
            Part.catalog.mask(&part, by: &run)
            if run.isChanged { holder[keyPath: place] = part }
        }
    }

    package func names<Part: FieldList, Holder: RecordPart>(
        at place: any WritableKeyPath<List.Holder, Holder?> & Sendable
    ) -> RecordField where Value == DecodedObject<Part>?, Holder.Members == Part.Holder {
        masking { holder, run in
            guard var part = holder[keyPath: place] else { return }
            run.part(&part) { Part.catalog.mask(&$0, by: &$1) }
            if run.isChanged { holder[keyPath: place] = part }
        }
    }

    package func names<Part: FieldList, Holder: RecordPart>(
        at place: any WritableKeyPath<List.Holder, Holder> & Sendable
    ) -> RecordField where Value == DecodedObject<Part>, Holder.Members == Part.Holder {
        masking { holder, run in
            run.part(&holder[keyPath: place]) { Part.catalog.mask(&$0, by: &$1) }
        }
    }

    /// Masks a group that differs with each load, and lists its fields one by one.
    package func names<Part: FieldList>(
        at place: any WritableKeyPath<List.Holder, Part.Holder> & Sendable
    ) -> RecordField
    where Value == DecodedObject<Part> {
        masking { [key] holder, run in
            Part.catalog.mask(&holder[keyPath: place], by: &run, listingAfter: "\(key).")
        }
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

/// Writes the value of one load for one blank.
struct EntryWriter: Sendable {
    let write: @Sendable (LoadRecord, inout JSONWriter) -> Void
}

extension EntryWriter {
    /// Writes all `parts`, separated by blanks.
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

/// A field of `List` with any type of value.
protocol AnyRecordField<List>: Sendable {
    associatedtype List: FieldList

    var key: StaticString { get }
    var isOmittable: Bool { get }
    var writeForm: @Sendable (inout List.Shared, inout JSONWriter) -> Void { get }
    var entries: [EntryWriter] { get }
    var formerKey: StaticString? { get }
    var cut: EntryPart { get }
    var sharing: [FieldSharing] { get }
    var nameKinds: [String: NameKind] { get }
    var mask: (@Sendable (inout List.Holder, inout MaskRun) -> Void)? { get }
    var maskedPlace: MaskedField? { get }
    var isDiagnosed: Bool { get }

    /// The field's value in `object`, of the field's type.
    func read(from object: KeyedDecodingContainer<FieldKey>) throws -> any Sendable
    /// Appends a value that `read` returned.
    func write(_ value: any Sendable, to writer: inout JSONWriter)
}

/// The name of a field as a `CodingKey`.
struct FieldKey: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(_ key: StaticString) { stringValue = key.description }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
}

/// The kinds of fields. `own` values are in each load's entry, `shared` ones in the form.
extension RecordField where Value: FieldValue {
    init(own key: StaticString, formerly: StaticString? = nil, _ value: @escaping @Sendable (LoadRecord) -> Value) {
        self.init(
            key, formerly: formerly, form: { $1.blank() }, entries: [EntryWriter { value($0).write(to: &$1) }])
    }

    /// A value that is the same in every record.
    init(constant key: StaticString, _ value: Value) {
        self.init(key, form: { value.write(to: &$1) })
    }

    init(shared key: StaticString, _ value: @escaping @Sendable (inout List.Shared) -> Value) {
        self.init(key, form: { value(&$0).write(to: &$1) })
    }
}

/// Fields of a form. They name their roots, and receive no other values.
extension RecordField where List.Shared == SharedPart {
    init<Root>(
        shared key: StaticString, of root: SharedRoot<Root>, _ value: @escaping @Sendable (Root) -> Value
    ) where Value: FieldValue & Equatable {
        let sharing = FieldSharing(
            root: root.comparison, isAlike: RecordTest { value(root.value($0)) == value(root.value($1)) })
        self.init(key, form: { value(root.value($0.record)).write(to: &$1) }, sharing: [sharing])
    }

    /// A shared text, for lists of other targets.
    package init<Root>(
        sharedText key: StaticString, of root: SharedRoot<Root>, _ value: @escaping @Sendable (Root) -> String?
    ) where Value == String? {
        self.init(shared: key, of: root, value)
    }

    /// - Parameter root: compares two values without help from the fields.
    package init<Root, Part>(
        shared key: StaticString, of root: SharedRoot<Root>, object: Part.Type,
        _ part: @escaping @Sendable (Root) -> Part.Shared?
    ) where Value == DecodedObject<Part>? {
        let sharing = FieldSharing(root: root.comparison, isAlike: nil)
        self.init(key, form: { $1.object(part(root.value($0.record)), Part.self) }, sharing: [sharing])
        self = holding(Part.self)
    }

    /// A text whose beginning loads share.
    init<Root>(
        ownText key: StaticString, of root: SharedRoot<Root>, beginning: @escaping @Sendable (Root) -> String,
        rest: @escaping @Sendable (LoadRecord) -> String
    ) where Value == String {
        let sharing = FieldSharing(
            root: root.comparison, isAlike: RecordTest { beginning(root.value($0)) == beginning(root.value($1)) })
        self.init(
            key,
            form: {
                $1.raw("\"")
                $1.unquoted(beginning(root.value($0.record)))
                $1.blank()
                $1.raw("\"")
            }, entries: [EntryWriter { $1.unquoted(rest($0)) }], cut: .inside, sharing: [sharing])
    }
}

extension RecordField where Value == String? {
    /// A text of a part, for lists of other targets.
    package init(sharedText key: StaticString, _ text: @escaping @Sendable (inout List.Shared) -> String?) {
        self.init(shared: key, text)
    }
}

extension RecordField where Value == [String] {
    /// Texts whose key is left out if there are none. Not for the first field of a list.
    init(sharedIfAny key: StaticString, _ texts: @escaping @Sendable (inout List.Shared) -> [String]) {
        self.init(
            key, isOmittable: true,
            form: {
                let texts = texts(&$0)
                guard !texts.isEmpty else { return }
                $1.key(key, isFirst: false)
                texts.write(to: &$1)
            })
    }
}

extension RecordField where Value == String {
    /// A text whose quotation marks are in the form.
    package init(ownText key: StaticString, rest: @escaping @Sendable (LoadRecord) -> String) {
        self.init(
            key,
            form: {
                $1.raw("\"")
                $1.blank()
                $1.raw("\"")
            }, entries: [EntryWriter { $1.unquoted(rest($0)) }], cut: .inside)
    }

    /// A time in milliseconds since 1970-01-01 UTC; reads back in ISO 8601.
    init(ownTime key: StaticString, _ milliseconds: @escaping @Sendable (LoadRecord) -> Int64) {
        self.init(key, form: { $1.blank() }, entries: [EntryWriter { $1.time(milliseconds: milliseconds($0)) }])
    }

    /// A time in seconds since 1970-01-01 UTC; reads back in ISO 8601.
    init(sharedTime key: StaticString, _ seconds: @escaping @Sendable (inout List.Shared) -> Int64) {
        self.init(key, form: { $1.time(seconds: seconds(&$0)) })
    }
}

extension RecordField where Value == Double? {
    /// A span in microseconds; reads back in milliseconds.
    init(ownSpan key: StaticString, _ microseconds: @escaping @Sendable (LoadRecord) -> Int64?) {
        self.init(
            key, form: { $1.blank() }, entries: [EntryWriter { $1.milliseconds(microseconds($0)) }],
            again: { $1.milliseconds($0.map { Int64(exactly: ($0 * 1000).rounded()) ?? .max }) })
    }
}

extension RecordField {
    /// Fields of the same load in an object with its own key.
    package init<Group>(_ key: StaticString, group: Group.Type)
    where Value == DecodedObject<Group>, Group.Shared == List.Shared {
        self.init(
            key, form: { Group.catalog.form(of: $0, to: &$1) }, entries: Group.catalog.entries,
            cut: .group(Group.catalog.cuts), sharing: Group.catalog.sharing)
        self = holding(Group.self)
    }

    init<Part>(
        shared key: StaticString, object: Part.Type, _ part: @escaping @Sendable (inout List.Shared) -> Part.Shared?
    )
    where Value == DecodedObject<Part>? {
        self.init(key, form: { $1.object(part(&$0), Part.self) })
        self = holding(Part.self)
    }

    /// An object of the diagnosis, which most loads lack.
    package init<Part>(
        diagnosed key: StaticString, object: Part.Type,
        _ part: @escaping @Sendable (RecordedDiagnosis) -> Part.Shared?
    ) where Value == DecodedObject<Part>? {
        self.init(
            key, form: { $1.blank() },
            entries: [
                EntryWriter { record, writer in
                    guard let diagnosis = record.diagnosis else { return writer.raw("null") }
                    writer.object(part(diagnosis), Part.self)
                }
            ], isDiagnosed: true)
        self = holding(Part.self)
    }

    /// Objects of the diagnosis.
    package init<Part>(
        diagnosed key: StaticString, each: Part.Type,
        _ parts: @escaping @Sendable (RecordedDiagnosis) -> [Part.Shared]
    ) where Value == [DecodedObject<Part>] {
        self.init(
            key, form: { $1.blank() },
            entries: [
                EntryWriter { record, writer in
                    guard let diagnosis = record.diagnosis else { return writer.raw("[]") }
                    writer.list(parts(diagnosis)) { Part.catalog.form(of: $1, to: &$0) }
                }
            ], isDiagnosed: true)
        self = holding(Part.self)
    }

    init<Part>(
        shared key: StaticString, each: Part.Type, _ parts: @escaping @Sendable (inout List.Shared) -> [Part.Shared]
    )
    where Value == [DecodedObject<Part>] {
        self.init(key, form: { $1.list(parts(&$0)) { Part.catalog.form(of: $1, to: &$0) } })
        self = holding(Part.self)
    }

    /// An object whose key is left out if there is none. Not for the first field of a list.
    package init<Part>(
        ownIfAny key: StaticString, object: Part.Type,
        _ part: @escaping @Sendable (LoadRecord) -> Part.Shared?
    ) where Value == DecodedObject<Part>? {
        self.init(
            key, isOmittable: true, form: { $1.blank() },
            entries: [EntryWriter(key, ifAny: part) { Part.catalog.form(of: $0, to: &$1) }])
        self = holding(Part.self)
    }

}

extension EntryWriter {
    /// Writes a key and its value, or nothing if there is no value.
    init<Value>(
        _ key: StaticString, ifAny value: @escaping @Sendable (LoadRecord) -> Value?,
        _ write: @escaping @Sendable (Value, inout JSONWriter) -> Void
    ) {
        self.init { record, writer in
            guard let value = value(record) else { return }
            writer.key(key, isFirst: false)
            write(value, &writer)
        }
    }
}

extension JSONWriter {
    /// Appends a key and its colon, and before them a comma unless it is the first of its object.
    mutating func key(_ key: StaticString, isFirst: Bool) {
        raw(isFirst ? "\"" : ",\"")
        raw(key)
        raw("\":")
    }

    /// Appends a blank, which an entry fills.
    mutating func blank() {
        bytes.append(RecordForm.blank)
    }

    /// Appends an object, or `null`.
    mutating func object<Part: FieldList>(_ part: Part.Shared?, _ list: Part.Type) {
        guard let part else { return raw("null") }
        list.catalog.form(of: part, to: &self)
    }
}
