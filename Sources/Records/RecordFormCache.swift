import Bytes
import Text

/// Remembers the forms of records, because many loads share one: a chain of certificates costs more than all the rest.
struct RecordFormCache: Sendable {
    /// By where their parts are, a later one in the place of an earlier one: found at the cost of some comparisons.
    private var places: [CachedForm?] = []
    /// Marks of connections that had no place when a load of theirs was met.
    private var passed: [Int] = []
    /// What was found last by what it says.
    private var latest: CachedForm?
    /// Every connection has parts of its own, which mostly say what others say: those are not written out again.
    private var equals = WeighedCache<SharedPart, RecordForm>(.forms, limit: 4 << 20, count: formLimit)
    /// Each text once: a form is found by its identity at no cost, and each loop has policies of its own.
    private var texts = WeighedCache<RecordForm, RecordForm>(.forms, limit: 4 << 20, count: formLimit)
    private let placeBudget = ByteBudget(.forms, limit: 4 << 20)

    /// What a form was made for.
    private final class CachedForm: Sendable {
        let part: SharedPart
        let form: RecordForm
        /// With the origin, which nobody else may hold any more.
        let bytes: Int

        init(part: SharedPart, form: RecordForm) {
            self.part = part
            self.form = form
            bytes = form.text.count + part.bytes
        }
    }

    /// The form of `record`.
    mutating func form(of record: LoadRecord) -> RecordForm {
        if places.isEmpty {
            places = Array(repeating: nil, count: placeCount)
            passed = Array(repeating: 0, count: placeCount)
        }
        let mark = SharedPart.mark(of: record)
        let place = mark % placeCount
        if let known = places[place], known.part.isShared(by: record) { return known.form }
        let alike = latest.flatMap { $0.part.isAlike(record) ? $0.form : nil }
        // Many connections carry one load: a place is for those that come again. A new one may have the mark of one that
        // is gone, whose memory it got.
        if let alike, passed[place] != mark {
            passed[place] = mark
            return alike
        }
        let part = SharedPart(of: record)
        let known = CachedForm(part: part, form: alike ?? equals.value(for: part) ?? writeOut(part))
        put(known, at: place)
        latest = known
        return known.form
    }

    /// Parts of closed connections never come back, so all places are left once they hold too much.
    private mutating func put(_ known: CachedForm, at place: Int) {
        placeBudget.add(-(places[place]?.bytes ?? 0))
        places[place] = nil
        if !placeBudget.hasRoom(for: known.bytes) {
            placeBudget.add(-placeBudget.heldBytes)
            places = Array(repeating: nil, count: placeCount)
        }
        placeBudget.add(known.bytes)
        places[place] = known
    }

    private mutating func writeOut(_ part: SharedPart) -> RecordForm {
        var writer = JSONWriter()
        RecordFields.catalog.form(of: part, to: &writer)
        let new = RecordForm(text: writer.bytes, handshake: part.handshake)
        let form = texts.value(for: new) ?? new
        if form === new { texts.keep(new, for: new, bytes: new.bytes) }
        equals.keep(form, for: part, bytes: form.bytes + part.bytes)
        return form
    }
}

/// More than the connections of a busy gate.
private let placeCount = 1024
private let formLimit = 2048
