import Text

/// Remembers the forms of records, because many loads share one: a chain of certificates costs more than all the rest.
struct RecordFormCache: Sendable {
    /// By where their cards are, a later one in the place of an earlier one: found at the cost of some comparisons.
    private var places: [Known?] = []
    /// Every connection has cards of its own, which mostly say what others say: those are not written out again.
    private var equals: [EqualPart: RecordForm] = [:]
    /// Each text once: a form is found by its identity at no cost, and each loop has policy cards of its own.
    private var texts: Set<RecordForm> = []

    /// What a form was made for.
    private final class Known: Sendable {
        let part: SharedPart
        let form: RecordForm

        init(part: SharedPart, form: RecordForm) {
            self.part = part
            self.form = form
        }
    }

    /// The form of `record`.
    mutating func form(of record: UnsafePointer<LoadRecord>) -> RecordForm {
        if places.isEmpty { places = Array(repeating: nil, count: placeCount) }
        let place = SharedPart.mark(of: record) % placeCount
        if let known = places[place], known.part.isShared(by: record) { return known.form }
        let part = SharedPart(of: record.pointee)
        let form = equals[EqualPart(part: part)] ?? writeOut(part)
        places[place] = Known(part: part, form: form)
        return form
    }

    /// Forgets all others once there are too many: cards of closed connections never come back.
    private mutating func writeOut(_ part: SharedPart) -> RecordForm {
        if equals.count >= formLimit {
            equals.removeAll(keepingCapacity: true)
            texts.removeAll(keepingCapacity: true)
        }
        var writer = JSONWriter()
        RecordFields.catalog.form(of: part, to: &writer)
        let form = texts.insert(RecordForm(text: writer.bytes, handshake: part.handshake)).memberAfterInsert
        equals[EqualPart(part: part)] = form
        return form
    }
}

/// More than the connections of a busy gate.
private let placeCount = 1024
/// With two kilobytes for a long chain, two megabytes at most.
private let formLimit = 1024
