import ATSPolicy
import GRDB
import Records

/// Puts rows together with the forms that they fill.
struct StoredForms {
    private var forms: [Int64: Form] = [:]
    private var handshakes = StoredHandshakes()

    private struct Form {
        let recording: String
        let host: String
        let verdict: String
        let os: String
        let text: RecordForm
        let handshake: Int64?
    }

    /// The record of a row with the columns form, time, rule and entry.
    ///
    /// - Throws: ``StoreError`` when the row does not fit its form, or names a verdict that this version does not know.
    mutating func record(_ row: Row, in db: Database) throws -> StoredRecord {
        let entry: String = row[3]
        let id = Self.id(of: entry)
        guard let form = try form(row[0], in: db) else {
            throw StoreError.unreadableRecord(id: id, cause: "its form is missing")
        }
        guard let verdict = Verdict(rawValue: form.verdict) else {
            throw StoreError.unreadableRecord(id: id, cause: "unknown verdict \(form.verdict)")
        }
        var json: [UInt8] = []
        let isFilled = Array(entry.utf8).withUnsafeBufferPointer { form.text.fill(from: $0, to: &json) }
        guard isFilled else { throw StoreError.unreadableRecord(id: id, cause: "it does not fit its form") }
        return StoredRecord(
            id: id, recording: form.recording, time: row[1], host: form.host, verdict: verdict, rule: row[2],
            os: form.os, json: String(decoding: json, as: UTF8.self))
    }

    /// The handshake that a row refers to, with its own number; nil where there is none.
    mutating func handshake(of row: Row, in db: Database) throws -> (Int64, RecordedHandshake)? {
        guard let number = try form(row[0], in: db)?.handshake else { return nil }
        return (number, try handshakes.handshake(number, of: Self.id(of: row[3]), in: db))
    }

    /// An entry begins with it.
    private static func id(of entry: String) -> String {
        String(decoding: entry.utf8.prefix { $0 != RecordForm.blank }, as: UTF8.self)
    }

    /// Forgets all others once there are too many: memory stays flat over a store of many recordings.
    private mutating func form(_ id: Int64, in db: Database) throws -> Form? {
        if let known = forms[id] { return known }
        let sql = "SELECT recording, host, verdict, os, text, handshake FROM form WHERE id = ?"
        guard let row = try Row.fetchOne(db, sql: sql, arguments: [id]) else { return nil }
        if forms.count >= formLimit { forms.removeAll(keepingCapacity: true) }
        let text: String = row[4]
        let form = Form(
            recording: row[0], host: row[1], verdict: row[2], os: row[3], text: RecordForm(text: Array(text.utf8)),
            handshake: row[5])
        forms[id] = form
        return form
    }
}

private let formLimit = 1024
