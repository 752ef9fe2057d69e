import GRDB
import Records

/// Numbers the forms of rows from 0 on, in the order met. Forms that say the same have one number: a gate that meets
/// more of them than it remembers writes some again.
struct FormPlaces {
    private var places: [Int64: Int] = [:]
    private var known: [Content: Int] = [:]
    /// Most rows are of the same form as the one before.
    private var last: (form: Int64, place: Int)?
    /// Where the URL is in an entry of the form that was met last for the first time.
    private(set) var urlPlace: Int?
    /// Whether that form's loads are of witness mode.
    private(set) var isWitnessed = false

    /// What makes a form; of its text only a number, because there may be many.
    private struct Content: Hashable {
        let recording: String
        let handshake: Int64?
        let digest: Int
        let bytes: Int
    }

    /// The number of the form of this row.
    ///
    /// - Throws: `DatabaseError`, and ``StoreRow/Unreadable`` also where there is none.
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

    /// As `policy.mode` stands in a form. No string of a form has an unescaped quotation mark in it.
    private static let witnessMode = Array("\"mode\":\"witness\"".utf8)
}
