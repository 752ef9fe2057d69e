import Text

/// The parts in which a store keeps a record.
package struct RecordPieces: OptionSet, Sendable {
    package let rawValue: Int

    package init(rawValue: Int) { self.rawValue = rawValue }

    /// Columns of each load's own row.
    static let columns = RecordPieces(rawValue: 1)
    /// The values that loads share, the text of a row of the table `shared`.
    package static let shared = RecordPieces(rawValue: 2)
    /// The text of a row of the table `diagnosis`.
    package static let diagnosis = RecordPieces(rawValue: 4)
    /// Fields that few loads have: the column `more`.
    package static let more = RecordPieces(rawValue: 8)
    /// Values that follow from others, which no store keeps.
    static let derived = RecordPieces(rawValue: 16)
    /// The whole record, as docs/record.md describes it.
    package static let whole: RecordPieces = [.columns, .shared, .diagnosis, .more, .derived]
}

/// The fields of one kind of JSON object, in the order of its keys.
package protocol FieldList: SendableMetatype {
    /// The value that has the fields.
    associatedtype Holder: Sendable

    static var fields: [RecordField<Holder>] { get }
}

/// One key of a JSON object: where its value is, how it is written and read, which piece of a stored record has it, and
/// which kind of names it contains.
package struct RecordField<Holder: Sendable>: Sendable {
    package typealias Mask = @Sendable (inout Holder, inout MaskRun) -> Void

    package let key: StaticString
    let pieces: RecordPieces
    let write: @Sendable (Holder, RecordPieces, inout JSONWriter) -> Void
    /// True if the value is null, so that a stored piece omits the key; nil if it never is.
    let isAbsent: (@Sendable (Holder) -> Bool)?
    /// True for the origin of a record, which is the same for many.
    var isOrigin: Bool { key.utf8CodeUnitCount == 6 && key.description == "origin" }
    /// True if the whole record omits the key, too, if the value is null.
    var isOmittable = false
    /// nil for a derived value.
    let read: (@Sendable (inout Holder, KeyedDecodingContainer<FieldKey>, RecordPieces) throws -> Void)?
    /// Masks the names in the value.
    private(set) var mask: Mask?
    /// Its item in a record's `masked` list; nil for its key.
    private(set) var maskedPlace: MaskedField?

    init(
        _ key: StaticString, _ pieces: RecordPieces,
        write: @escaping @Sendable (Holder, RecordPieces, inout JSONWriter) -> Void,
        isAbsent: (@Sendable (Holder) -> Bool)? = nil,
        read: (@Sendable (inout Holder, KeyedDecodingContainer<FieldKey>, RecordPieces) throws -> Void)? = nil,
        mask: Mask? = nil
    ) {
        self.key = key
        self.pieces = pieces
        self.write = write
        self.isAbsent = isAbsent
        self.read = read
        self.mask = mask
    }

    /// Returns a field whose names `mask` masks.
    func masking(_ mask: @escaping Mask) -> RecordField {
        var field = self
        field.mask = mask
        return field
    }

    /// Returns a field that a record's `masked` lists by another name than its key.
    func listed(as name: String, _ part: URLMask.Parts = []) -> RecordField {
        var field = self
        field.maskedPlace = MaskedField(name: name, parts: part)
        return field
    }

    /// Returns a field whose key is left out if the value is null.
    func omittable() -> RecordField {
        var field = self
        field.isOmittable = true
        return field
    }
}

/// Fields with one value.
extension RecordField {
    package init<Value: FieldValue>(
        _ key: StaticString, _ path: any WritableKeyPath<Holder, Value> & Sendable, _ piece: RecordPieces
    ) {
        let isAbsent: @Sendable (Holder) -> Bool = { $0[keyPath: path].isAbsent }
        self.init(
            key, piece, write: { holder, _, writer in holder[keyPath: path].write(to: &writer) },
            isAbsent: Value.isOmittable ? isAbsent : nil,
            read: { holder, object, _ in holder[keyPath: path] = try object.read(Value.self, at: FieldKey(key)) })
    }

    /// A value with names.
    package init<Value: FieldValue & MaskedText>(
        _ key: StaticString, _ path: any WritableKeyPath<Holder, Value> & Sendable, _ piece: RecordPieces,
        holding kind: NameKind
    ) {
        self.init(key, path, piece)
        mask = { holder, run in
            holder[keyPath: path] = holder[keyPath: path].masked { run.text(kind, $0) }
        }
    }

    /// A value that follows from others.
    init<Value: FieldValue>(derived key: StaticString, _ value: @escaping @Sendable (Holder) -> Value) {
        let isAbsent: @Sendable (Holder) -> Bool = { value($0).isAbsent }
        self.init(
            key, .derived, write: { holder, _, writer in value(holder).write(to: &writer) },
            isAbsent: Value.isOmittable ? isAbsent : nil)
    }

    /// A time in seconds since 1970-01-01 UTC, written in ISO 8601.
    init(derivedTime key: StaticString, _ seconds: @escaping @Sendable (Holder) -> Int64) {
        self.init(key, .derived, write: { holder, _, writer in writer.time(seconds: seconds(holder)) })
    }

    /// A span in microseconds, written in milliseconds.
    init(span key: StaticString, _ path: any WritableKeyPath<Holder, Int64?> & Sendable) {
        self.init(
            key, .columns, write: { holder, _, writer in writer.milliseconds(holder[keyPath: path]) },
            isAbsent: { $0[keyPath: path] == nil },
            read: { holder, object, _ in
                let span = try object.decodeIfPresent(Double.self, forKey: FieldKey(key))
                holder[keyPath: path] = span.flatMap { Int64(exactly: ($0 * 1000).rounded()) }
            })
    }
}

/// Fields with objects.
extension RecordField {
    /// An object with fields of the same holder.
    init<List: FieldList>(_ key: StaticString, _ list: List.Type) where List.Holder == Holder {
        self.init(
            key, List.pieces, write: { List.write($0, $1, to: &$2) }, isAbsent: { _ in false },
            read: { try List.read(&$0, $1.nested(FieldKey(key)), $2) })
    }

    /// An object of the value at `path`.
    init<List: FieldList>(
        _ key: StaticString, _ path: any WritableKeyPath<Holder, List.Holder> & Sendable, _ list: List.Type
    ) {
        self.init(
            key, List.pieces, write: { List.write($0[keyPath: path], $1, to: &$2) },
            read: { try List.read(&$0[keyPath: path], $1.nested(FieldKey(key)), $2) },
            mask: { List.mask(&$0[keyPath: path], by: &$1, listingAfter: "\(key).") })
    }

    /// The object of a shared part.
    init<List: FieldList, Part: RecordPart>(
        _ key: StaticString, _ path: any WritableKeyPath<Holder, Part> & Sendable, _ list: List.Type
    ) where List.Holder == Part.Members {
        self.init(
            key, List.pieces, write: { List.write($0[keyPath: path].members, $1, to: &$2) },
            read: { holder, object, pieces in
                var members = holder[keyPath: path].members
                try List.read(&members, object.nested(FieldKey(key)), pieces)
                holder[keyPath: path] = Part(members)
            },
            mask: { $1.part(&$0[keyPath: path]) { List.mask(&$0, by: &$1) } })
    }

    /// The object of a shared part, or `null`.
    init<List: FieldList, Part: RecordPart>(
        _ key: StaticString, _ path: any WritableKeyPath<Holder, Part?> & Sendable, _ list: List.Type,
        blank: Part.Members, _ piece: RecordPieces
    ) where List.Holder == Part.Members {
        self.init(
            key, piece.union(List.pieces),
            write: { holder, pieces, writer in
                guard let part = holder[keyPath: path] else { return writer.raw("null") }
                List.write(part.members, pieces, to: &writer)
            }, isAbsent: { $0[keyPath: path] == nil },
            read: { holder, object, pieces in
                holder[keyPath: path] = try object.object(key, List.self, blank, pieces).map { Part($0) }
            },
            mask: { holder, run in
                guard var part = holder[keyPath: path] else { return }
                run.part(&part) { List.mask(&$0, by: &$1) }
                if run.isChanged { holder[keyPath: path] = part }
            })
    }

    /// The object of a value, or `null`.
    init<List: FieldList>(
        _ key: StaticString, _ path: any WritableKeyPath<Holder, List.Holder?> & Sendable, _ list: List.Type,
        blank: List.Holder, _ piece: RecordPieces
    ) {
        self.init(
            key, piece,
            write: { holder, _, writer in
                guard let value = holder[keyPath: path] else { return writer.raw("null") }
                List.write(value, .whole, to: &writer)
            }, isAbsent: { $0[keyPath: path] == nil },
            read: { holder, object, _ in
                holder[keyPath: path] = try object.object(key, List.self, blank, .whole)
            },
            mask: { holder, run in
                guard var value = holder[keyPath: path] else { return }
                List.mask(&value, by: &run)
                if run.isChanged { holder[keyPath: path] = value }
            })
    }

    /// A list of objects.
    init<List: FieldList>(
        _ key: StaticString, _ path: any WritableKeyPath<Holder, [List.Holder]> & Sendable, each list: List.Type,
        blank: List.Holder, _ piece: RecordPieces
    ) {
        self.init(
            key, piece,
            write: { holder, _, writer in
                writer.list(holder[keyPath: path]) { List.write($1, .whole, to: &$0) }
            }, isAbsent: { $0[keyPath: path].isEmpty },
            read: { holder, object, _ in
                var items = try object.nestedUnkeyedContainer(forKey: FieldKey(key))
                var values: [List.Holder] = []
                while !items.isAtEnd {
                    var value = blank
                    try List.read(&value, items.nestedContainer(keyedBy: FieldKey.self), .whole)
                    values.append(value)
                }
                holder[keyPath: path] = values
            },
            mask: { holder, run in
                var values = holder[keyPath: path]
                for index in values.indices { List.mask(&values[index], by: &run) }
                if run.isChanged { holder[keyPath: path] = values }
            })
    }

    /// A list of objects that follow from others.
    init<List: FieldList>(
        derived key: StaticString, each list: List.Type, _ values: @escaping @Sendable (Holder) -> [List.Holder]
    ) {
        self.init(
            key, .derived,
            write: { holder, _, writer in writer.list(values(holder)) { List.write($1, .whole, to: &$0) } })
    }

    /// An object that follows from others, or `null`.
    init<List: FieldList>(
        derived key: StaticString, _ list: List.Type, _ value: @escaping @Sendable (Holder) -> List.Holder?
    ) {
        self.init(
            key, .derived,
            write: { holder, _, writer in
                guard let value = value(holder) else { return writer.raw("null") }
                List.write(value, .whole, to: &writer)
            })
    }
}

extension FieldList {
    static var pieces: RecordPieces { fields.reduce(into: []) { $0.formUnion($1.pieces) } }

    /// Appends the object with the fields of `pieces`. The whole record has a key for each field; a stored piece omits
    /// those without a value.
    static func write(_ holder: Holder, _ pieces: RecordPieces, to writer: inout JSONWriter) {
        var isFirst = true
        writer.raw("{")
        for field in fields where !field.pieces.isDisjoint(with: pieces) {
            if pieces != .whole || field.isOmittable, field.isAbsent?(holder) == true { continue }
            writer.key(field.key, isFirst: isFirst)
            field.write(holder, pieces, &writer)
            isFirst = false
        }
        writer.raw("}")
    }

    /// Reads what ``write(_:_:to:)`` wrote. A missing key leaves the value of `holder`.
    ///
    /// - Throws: `DecodingError`, also if a key is missing that no piece omits.
    static func read(
        _ holder: inout Holder, _ object: KeyedDecodingContainer<FieldKey>, _ pieces: RecordPieces
    ) throws {
        for field in fields where !field.pieces.isDisjoint(with: pieces) {
            guard let read = field.read else { continue }
            let key = FieldKey(field.key)
            if !object.contains(key), field.isAbsent != nil { continue }
            try read(&holder, object, pieces)
        }
    }

    /// The object's JSON.
    package static func json(of holder: Holder) -> String {
        var writer = JSONWriter()
        write(holder, .whole, to: &writer)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    static func mask(_ holder: inout Holder, by run: inout MaskRun) {
        for field in fields { field.mask?(&holder, &run) }
    }

    /// Masks the names in `holder`, and lists each field that was masked.
    ///
    /// - Parameter prefix: keys of the enclosing objects.
    static func mask(_ holder: inout Holder, by run: inout MaskRun, listingAfter prefix: String) {
        for field in fields {
            guard let mask = field.mask else { continue }
            mask(&holder, &run)
            let place = field.maskedPlace ?? MaskedField(name: field.key.description)
            run.list(MaskedField(name: prefix + place.name, parts: place.parts))
        }
    }
}

/// The name of a field as a `CodingKey`.
package struct FieldKey: CodingKey {
    package let stringValue: String
    package var intValue: Int? { nil }

    init(_ key: StaticString) { stringValue = key.description }
    package init(stringValue: String) { self.stringValue = stringValue }
    package init?(intValue: Int) { nil }
}

extension KeyedDecodingContainer<FieldKey> {
    func read<Value: FieldValue>(_ type: Value.Type, at key: FieldKey) throws -> Value {
        try decode(Reading<Value>.self, forKey: key).value
    }

    fileprivate func nested(_ key: FieldKey) throws -> KeyedDecodingContainer<FieldKey> {
        try nestedContainer(keyedBy: FieldKey.self, forKey: key)
    }

    /// The object at `key`; nil for `null`.
    fileprivate func object<List: FieldList>(
        _ key: StaticString, _ list: List.Type, _ blank: List.Holder, _ pieces: RecordPieces
    ) throws -> List.Holder? {
        if try decodeNil(forKey: FieldKey(key)) { return nil }
        var value = blank
        try List.read(&value, nested(FieldKey(key)), pieces)
        return value
    }
}

extension JSONWriter {
    /// Appends a key and its colon, and before them a comma unless it is the first of its object.
    mutating func key(_ key: StaticString, isFirst: Bool) {
        raw(isFirst ? "\"" : ",\"")
        raw(key)
        raw("\":")
    }
}
