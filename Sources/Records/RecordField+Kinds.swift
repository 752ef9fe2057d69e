import Text

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
