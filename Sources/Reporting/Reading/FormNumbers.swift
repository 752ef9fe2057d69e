import GRDB
import Records

/// Numbers the forms of rows from 0, in order of first use. Forms with equal content share a number: a gate with more
/// forms than its cache holds writes some of them again.
struct FormNumbers {
    private var places: [Int64: Int] = [:]
    private var known: [Content: Int] = [:]
    /// The last form used: most rows have the same form as the one before.
    private var last: (form: Int64, place: Int)?
    /// The position of the URL in entries of the form that was numbered last.
    private(set) var urlPlace: Int?
    /// True if loads of that form were made in witness mode.
    private(set) var isWitnessed = false

    /// The content by which forms are compared. Of the text only a hash, because there may be many forms.
    private struct Content: Hashable {
        let recording: String
        let handshake: Int64?
        let digest: Int
        let bytes: Int
    }

    /// The number of the form of this row.
    ///
    /// - Throws: `DatabaseError`, and ``StoreRow/Unreadable``, also if the form is missing.
    mutating func place(of form: Int64, in db: Database) throws -> Int {
        if let last, last.form == form { return last.place }
        let place = try places[form] ?? new(form, in: db)
        last = (form, place)
        return place
    }

    private mutating func new(_ form: Int64, in db: Database) throws -> Int {
        let sql = "SELECT recording, handshake, text FROM form WHERE id = ?"
        let found = try db.first(sql, [form]) { row in
            (try row.text(0), try row.place(1), RecordForm(text: Array(try row.bytes(2))))
        }
        guard let (recording, handshake, text) = found else {
            throw StoreRow.Unreadable(description: "its form is missing")
        }
        let content = Content(
            recording: recording, handshake: handshake, digest: text.hashValue, bytes: text.text.count)
        let place = known[content] ?? known.count
        places[form] = place
        guard place == known.count else { return place }
        known[content] = place
        urlPlace = text.namedBlanks.firstIndex { $0.name == "load.url" }
        isWitnessed = text.text.contains(Self.witnessMode)
        return place
    }

    /// `policy.mode` as a form contains it. Strings in a form have no unescaped quotation marks.
    private static let witnessMode = Array("\"mode\":\"witness\"".utf8)
}
