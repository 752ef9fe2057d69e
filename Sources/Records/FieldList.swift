package import Text

/// The fields of one kind of object, each a stored property, in the order of the JSON.
public protocol FieldList: Sendable {
    /// What the fields that loads share are made of.
    associatedtype Shared: Sendable
    /// What their names stand in before they are written.
    associatedtype Holder = Shared

    init()
    /// The one catalogue of this list.
    static var catalog: FieldCatalog<Self> { get }
}

extension FieldList {
    /// The JSON of one object, where none of its fields belongs to a load alone.
    public static func json(of shared: Shared) -> String {
        var writer = JSONWriter()
        catalog.form(of: shared, to: &writer)
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}

/// The fields of a list in their order, made once.
public struct FieldCatalog<List: FieldList>: Sendable {
    let list: List
    let fields: [any AnyRecordField<List>]
    /// The entries of all fields, one for each blank of the form.
    let entries: [EntryWriter]
    /// All of them in one: calling what a closure has captured counts no references, calling an element of an array does.
    private let entry: EntryWriter
    /// What of a whole line belongs to the entry, by key.
    let cuts: [KeyCut]
    private let steps: [Step]
    private let masks: [(place: MaskedPlace, mask: @Sendable (inout List.Holder, inout MaskRun) -> Void)]
    let sharing: [FieldSharing]
    /// How the forms of two records are told apart.
    package let comparison: FormComparison
    /// By the keys of the JSON from here on, joined with dots; every other text is no name.
    package let nameKinds: [String: NameKind]

    /// What writing needs of a field.
    private struct Step: Sendable {
        let key: StaticString
        let isOmittable: Bool
        let write: @Sendable (inout List.Shared, inout JSONWriter) -> Void
    }

    /// A field is declared where it stands, and nowhere else: its place among the properties is its place in the JSON.
    public init(_ list: List) {
        self.list = list
        fields = Mirror(reflecting: list).children.compactMap { $0.value as? any AnyRecordField<List> }
        entries = fields.flatMap { $0.entries }
        entry = EntryWriter(all: entries)
        cuts = fields.flatMap { field in
            [field.key, field.formerKey].compactMap { $0 }.map { KeyCut(key: $0, cut: field.cut) }
        }
        sharing = fields.flatMap { $0.sharing }
        comparison = FormComparison(sharing)
        nameKinds = fields.reduce(into: [:]) { kinds, field in
            for key in [field.key, field.formerKey].compactMap({ $0?.description }) {
                for (path, kind) in field.nameKinds { kinds[path.isEmpty ? key : key + "." + path] = kind }
            }
        }
        // What loads share comes first.
        let order =
            fields.filter { !$0.sharing.isEmpty } + fields.filter { $0.sharing.isEmpty && $0.isDiagnosed }
            + fields.filter { $0.sharing.isEmpty && !$0.isDiagnosed }
        masks = order.compactMap { field in
            precondition(field.nameKinds.isEmpty || field.mask != nil, "nobody masks the names of \(field.key)")
            return field.mask.map { (field.maskedPlace ?? MaskedPlace(name: field.key.description), $0) }
        }
        steps = fields.map { Step(key: $0.key, isOmittable: $0.isOmittable, write: $0.writeForm) }
    }

    /// What is not written yet, with the names that its fields hold masked by their kinds.
    package func masked(_ holder: List.Holder, by names: NameMask, _ known: KnownNames) -> List.Holder {
        var (holder, run) = (holder, MaskRun(names, known))
        mask(&holder, by: &run)
        return holder
    }

    func mask(_ holder: inout List.Holder, by run: inout MaskRun) {
        for (_, mask) in masks { mask(&holder, &run) }
    }

    /// The same, and lists each field that was masked.
    ///
    /// - Parameter prefix: keys of the objects around.
    func mask(_ holder: inout List.Holder, by run: inout MaskRun, listingAfter prefix: String) {
        for (place, mask) in masks {
            mask(&holder, &run)
            run.list(MaskedPlace(name: prefix + place.name, parts: place.parts))
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

    /// Appends what goes into the blanks.
    func entry(of record: LoadRecord, to writer: inout JSONWriter) {
        entry.write(record, &writer)
    }
}

/// An object of a record as read back: its fields are members, of the types that the list declares.
@dynamicMemberLookup
public struct DecodedObject<List: FieldList>: Sendable {
    /// By key; as many as the list has fields.
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

/// Objects that say the same are the same.
extension DecodedObject: Hashable {
    public static func == (one: Self, other: Self) -> Bool { one.json == other.json }
    public func hash(into hasher: inout Hasher) { hasher.combine(json) }
}
