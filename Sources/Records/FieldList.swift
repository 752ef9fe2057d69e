package import Text

/// The fields of one kind of object, each a stored property, in the order of the JSON.
public protocol FieldList: Sendable {
    /// The source of the fields that loads share.
    associatedtype Shared: Sendable
    /// The value that holds the list's names before they are written.
    associatedtype Holder = Shared

    init()
    /// The only catalogue of this list.
    static var catalog: FieldCatalog<Self> { get }
}

extension FieldList {
    /// The JSON of one object whose fields are all shared.
    public static func json(of shared: Shared) -> String {
        var writer = JSONWriter()
        catalog.form(of: shared, to: &writer)
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}

/// The fields of a list in order, collected once.
public struct FieldCatalog<List: FieldList>: Sendable {
    let list: List
    let fields: [any AnyRecordField<List>]
    /// The entries of all fields, one for each blank of the form.
    let entries: [EntryWriter]
    /// All entries in one closure: calling a captured closure counts no references, but calling an array's element
    /// does.
    private let entry: EntryWriter
    /// By key, the part of a whole line that belongs to the entry.
    let cuts: [EntryCut]
    private let steps: [Step]
    private let masks: [(place: MaskedField, mask: @Sendable (inout List.Holder, inout MaskRun) -> Void)]
    let sharing: [FieldSharing]
    /// How the forms of two records are compared.
    package let comparison: FormComparison
    /// The kinds of names, by the keys of the JSON below this list, joined with dots. Texts without a kind are no
    /// names.
    package let nameKinds: [String: NameKind]

    /// The parts of a field that writing needs.
    private struct Step: Sendable {
        let key: StaticString
        let isOmittable: Bool
        let write: @Sendable (inout List.Shared, inout JSONWriter) -> Void
    }

    /// Collects the fields of `list`. The order of its stored properties is the order of the JSON.
    public init(_ list: List) {
        self.list = list
        fields = Mirror(reflecting: list).children.compactMap { $0.value as? any AnyRecordField<List> }
        entries = fields.flatMap { $0.entries }
        entry = EntryWriter(all: entries)
        cuts = fields.flatMap { field in
            [field.key, field.formerKey].compactMap { $0 }.map { EntryCut(key: $0, cut: field.cut) }
        }
        sharing = fields.flatMap { $0.sharing }
        comparison = FormComparison(sharing)
        nameKinds = fields.reduce(into: [:]) { kinds, field in
            for key in [field.key, field.formerKey].compactMap({ $0?.description }) {
                for (path, kind) in field.nameKinds { kinds[path.isEmpty ? key : key + "." + path] = kind }
            }
        }
        // Shared parts come first.
        let order =
            fields.filter { !$0.sharing.isEmpty } + fields.filter { $0.sharing.isEmpty && $0.isDiagnosed }
            + fields.filter { $0.sharing.isEmpty && !$0.isDiagnosed }
        masks = order.compactMap { field in
            precondition(field.nameKinds.isEmpty || field.mask != nil, "no mask for the names of \(field.key)")
            return field.mask.map { (field.maskedPlace ?? MaskedField(name: field.key.description), $0) }
        }
        steps = fields.map { Step(key: $0.key, isOmittable: $0.isOmittable, write: $0.writeForm) }
    }

    /// Returns an unwritten value with its names masked by their kinds.
    package func masked(_ holder: List.Holder, by names: NameMask, _ known: KnownNames) -> List.Holder {
        var (holder, run) = (holder, MaskRun(names, known))
        mask(&holder, by: &run)
        return holder
    }

    func mask(_ holder: inout List.Holder, by run: inout MaskRun) {
        for (_, mask) in masks { mask(&holder, &run) }
    }

    /// Masks the names in `holder`, and lists each field that was masked.
    ///
    /// - Parameter prefix: keys of the enclosing objects.
    func mask(_ holder: inout List.Holder, by run: inout MaskRun, listingAfter prefix: String) {
        for (place, mask) in masks {
            mask(&holder, &run)
            run.list(MaskedField(name: prefix + place.name, parts: place.parts))
        }
    }

    /// Appends an object with a blank for each of `entries`.
    package func form(of shared: List.Shared, to writer: inout JSONWriter) {
        var shared = shared
        var isFirst = true
        writer.raw("{")
        for step in steps {
            if !step.isOmittable { writer.key(step.key, isFirst: isFirst) }
            step.write(&shared, &writer)
            isFirst = false
        }
        writer.raw("}")
    }

    /// Appends the values for the blanks.
    func entry(of record: LoadRecord, to writer: inout JSONWriter) {
        entry.write(record, &writer)
    }
}

/// An object of a record, read from JSON. Its fields are members, with the types that the list declares.
@dynamicMemberLookup
public struct DecodedObject<List: FieldList>: Sendable {
    /// By key; one for each field of the list.
    private let values: [String: any Sendable]

    public subscript<Value>(dynamicMember path: KeyPath<List, RecordField<List, Value>>) -> Value {
        let key = List.catalog.list[keyPath: path].key
        guard let value = values[key.description] as? Value else { preconditionFailure("\(key) was not read") }
        return value
    }
}

extension DecodedObject: Decodable {
    public init(from decoder: any Decoder) throws {
        let object = try decoder.container(keyedBy: FieldKey.self)
        var values: [String: any Sendable] = [:]
        for field in List.catalog.fields {
            values[field.key.description] = try field.read(from: object)
        }
        self.values = values
    }
}

extension DecodedObject: FieldValue {
    func write(to writer: inout JSONWriter) {
        var isFirst = true
        writer.raw("{")
        for field in List.catalog.fields {
            guard let value = values[field.key.description] else { continue }
            if field.isOmittable, (value as? any FieldValue)?.isAbsent == true { continue }
            writer.key(field.key, isFirst: isFirst)
            field.write(value, to: &writer)
            isFirst = false
        }
        writer.raw("}")
    }

    /// The object's JSON, as it was written.
    public var json: String {
        var writer = JSONWriter()
        write(to: &writer)
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}

/// Compares objects by their JSON.
extension DecodedObject: Hashable {
    public static func == (one: Self, other: Self) -> Bool { one.json == other.json }
    public func hash(into hasher: inout Hasher) { hasher.combine(json) }
}
