import Bytes
import Text

/// A cache of forms. Many loads share one, and a chain of certificates costs more to write than all the rest.
struct RecordFormCache: Sendable {
    /// Forms by the addresses of their parts; a later one replaces an earlier one. A hit costs a few comparisons.
    private var places: [CachedForm?] = []
    /// Marks of connections that have had one load without an own slot.
    private var passed: [Int] = []
    /// The form that was added last.
    private var latest: CachedForm?
    /// Forms by content. Every connection has its own parts, most of them equal to others, and equal parts are not
    /// written twice.
    private var equals = WeighedCache<SharedPart, RecordForm>(.forms, limit: 4 << 20, count: formLimit)
    /// Each text once, so that equal forms are one object: each loop has its own policies.
    private var texts = WeighedCache<RecordForm, RecordForm>(.forms, limit: 4 << 20, count: formLimit)
    private let placeBudget = ByteBudget(.forms, limit: 4 << 20)

    /// A form with the part that it was made for.
    private final class CachedForm: Sendable {
        let part: SharedPart
        let form: RecordForm
        /// Includes the origin, which may no longer have another owner.
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
        // Many connections carry only one load. A slot is for those that come again. A new connection may reuse the
        // memory, and so the mark, of a closed one.
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

    /// Stores a form. Parts of closed connections never come back, so all slots are emptied once they hold too much.
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
