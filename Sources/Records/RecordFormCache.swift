import Text

/// Remembers the forms of records, because many loads share one: a chain of certificates costs more than all the rest.
struct RecordFormCache: Sendable {
    private var forms: [SharedPart: RecordForm] = [:]
    /// Every connection has cards of its own, which mostly say what others say: those are not written out again.
    private var equals: [EqualPart: RecordForm] = [:]
    /// Each text once: a form is found by its identity at no cost, and each loop has policy cards of its own.
    private var texts: Set<RecordForm> = []

    /// The form of `record`. Forgets all others once there are too many: cards of closed connections never come back.
    mutating func form(of record: LoadRecord) -> RecordForm {
        let part = SharedPart(of: record)
        if let known = forms[part] { return known }
        if forms.count >= formLimit {
            forms.removeAll(keepingCapacity: true)
            equals.removeAll(keepingCapacity: true)
            texts.removeAll(keepingCapacity: true)
        }
        let form = equals[EqualPart(part: part)] ?? writeOut(part)
        forms[part] = form
        return form
    }

    private mutating func writeOut(_ part: SharedPart) -> RecordForm {
        var writer = JSONWriter()
        RecordFields.catalog.form(of: part, to: &writer)
        let form = texts.insert(RecordForm(text: writer.bytes, handshake: part.handshake)).memberAfterInsert
        equals[EqualPart(part: part)] = form
        return form
    }
}

/// More than the connections of a busy gate. With two kilobytes for a long chain, two megabytes at most.
private let formLimit = 1024
