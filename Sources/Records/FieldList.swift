import ATSPolicy
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
