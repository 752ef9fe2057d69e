import Text

/// One key of an object in a record's JSON: how it is written, which part of it loads share,
/// which names it can hold, and how it reads back.
///
/// A field stands once, in its ``FieldList``; JSON, the stored form, the stored entries and ``DecodedObject`` all come from
/// that line, and so do the comparison of forms and the masks.
public struct RecordField<List: FieldList, Value: Sendable>: Sendable {
    /// By address: a copy of a large structure for each field would cost more than writing it.
    typealias WriteShared = @Sendable (inout List.Shared, inout JSONWriter) -> Void
    package typealias Mask = @Sendable (inout List.Holder, inout MaskRun) -> Void

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
    /// Names that it can hold, by the keys below it; its own key is empty. Copies of what is written mask them by their
    /// keys.
    private(set) var nameKinds: [String: NameKind]
    /// Masks the same names in what is not written yet.
    private(set) var mask: Mask?
    /// What `masked` of a record says of it; its key where that is nil.
    private(set) var maskedPlace: MaskedPlace?
    /// Part of the diagnosis: `masked` of a record lists it before what else a load has of its own.
    let isDiagnosed: Bool
    private let readValue: @Sendable (KeyedDecodingContainer<FieldKey>, FieldKey) throws -> Value
    /// What older records that lack the key mean; nil where none does.
    private let absent: Value?
    private let writeValue: @Sendable (Value, inout JSONWriter) -> Void

    init(
        _ key: StaticString, formerly formerKey: StaticString? = nil, isOmittable: Bool = false,
        form writeForm: @escaping WriteShared, entries: [EntryWriter] = [], cut: FieldCut? = nil,
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

    /// - Parameter writeValue: writes what was read in the way that the form or the entry does.
    init(
        _ key: StaticString, formerly formerKey: StaticString? = nil, isOmittable: Bool = false,
        form writeForm: @escaping WriteShared, entries: [EntryWriter] = [], cut: FieldCut? = nil,
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

/// Names that a field holds: of which kind, and where they stand before they are written. Whoever declares the one must
/// declare the other; of lists below, the catalogue sees to it.
extension RecordField {
    /// The same, and the texts at `place` are names.
    package func holding<Text: MaskedText>(
        _ kind: NameKind, at place: any WritableKeyPath<List.Holder, Text> & Sendable
    ) -> RecordField {
        holding(kind) { $0[keyPath: place] = $0[keyPath: place].masked(by: $1) }
    }

    /// The same in what may not be there.
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

    /// The same where they can not be reached by a key path.
    ///
    /// - Parameter change: puts what it is given in the place of each.
    package func holding(
        _ kind: NameKind, _ change: @escaping @Sendable (inout List.Holder, (String) -> String) -> Void
    ) -> RecordField {
        var field = masking { holder, run in change(&holder) { run.text(kind, $0) } }
        field.nameKinds[""] = kind
        return field
    }

    /// The same, and `mask` masks all that it holds.
    func masking(_ mask: @escaping Mask) -> RecordField {
        var field = self
        field.mask = mask
        return field
    }

    /// The same, with objects of a list as its value.
    func holding<Part: FieldList>(_ list: Part.Type) -> RecordField {
        var field = self
        field.nameKinds = Part.catalog.nameKinds
        return field
    }

    /// The same, which `masked` of a record lists by another name than its key.
    func listed(as name: String, _ part: URLMask.Parts = []) -> RecordField {
        var field = self
        field.maskedPlace = MaskedPlace(name: name, parts: part)
        return field
    }
}

/// Where the names of a list below stand.
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

    /// The same of what a load has of its own, whose fields are listed one by one.
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
    var mask: (@Sendable (inout List.Holder, inout MaskRun) -> Void)? { get }
    var maskedPlace: MaskedPlace? { get }
    var isDiagnosed: Bool { get }

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
