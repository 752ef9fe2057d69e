import ATSPolicy
import Bytes
package import Records

/// The values that loads share.
package struct StoredForm {
    let recording: String
    let host: String
    let verdict: String
    let os: String
    package let text: RecordForm
    let handshake: Int64?

    package init(
        recording: String, host: String, verdict: String, os: String, text: RecordForm, handshake: Int64?
    ) {
        self.recording = recording
        self.host = host
        self.verdict = verdict
        self.os = os
        self.text = text
        self.handshake = handshake
    }

    /// - Parameter row: with these columns, in this order.
    init(_ row: StoreRow) throws(StoreRow.Unreadable) {
        recording = try row.text(0)
        host = try row.text(1)
        verdict = try row.text(2)
        os = try row.text(3)
        text = RecordForm(text: Array(try row.bytes(4)))
        handshake = try row.place(5)
    }
}

/// Joins rows with their forms.
struct StoredForms {
    private var forms = WeighedCache<Int64, StoredForm>(.rows, limit: 8 << 20, count: formLimit)
    private var handshakes = StoredHandshakes()

    /// The record of a row.
    ///
    /// - Throws: ``StoreError`` if the row does not fit its form, or has a verdict that this version does not know.
    mutating func record(_ row: ScannedRow, in view: any StoreView) throws -> StoredRecord {
        let form = try form(of: row, in: view)
        guard let verdict = Verdict(rawValue: form.verdict) else {
            throw StoreError.unreadableRecord(id: row.id, cause: "unknown verdict \(form.verdict)")
        }
        var json: [UInt8] = []
        guard form.text.fill(from: row.entry, to: &json) else {
            throw StoreError.unreadableRecord(id: row.id, cause: "it does not fit its form")
        }
        return StoredRecord(
            id: row.id, recording: form.recording, time: row.time, host: form.host, verdict: verdict,
            rule: row.ruleText, os: form.os, json: String(decoding: json, as: UTF8.self))
    }

    /// Checks that a row fits its form.
    ///
    /// - Throws: as ``record(_:in:)``.
    mutating func check(_ row: ScannedRow, in view: any StoreView) throws {
        let blanks = try form(of: row, in: view).text.blankCount
        guard row.entry.reduce(1, { $0 + ($1 == RecordForm.blank ? 1 : 0) }) == blanks else {
            throw StoreError.unreadableRecord(id: row.id, cause: "it does not fit its form")
        }
    }

    /// The handshake of a row, with its number; nil if there is none, or it cannot be read. The load is reported
    /// without it.
    mutating func handshake(of row: ScannedRow, in view: any StoreView) throws -> (Int64, RecordedHandshake)? {
        guard let number = try form(of: row, in: view).handshake else { return nil }
        return try handshakes.handshake(number, in: view).map { (number, $0) }
    }

    /// The whole load, decoded.
    ///
    /// - Throws: ``StoreError/unreadableRecord(id:cause:)``.
    mutating func load(_ row: ScannedRow, in view: any StoreView) throws -> RecordedLoad {
        let stored = try record(row, in: view)
        let (id, handshake) = try handshake(of: row, in: view) ?? (nil, nil)
        return RecordedLoad(record: try DecodedRecord(stored), handshakeID: id, handshake: handshake)
    }

    /// - Throws: ``StoreError/unreadableRecord(id:cause:)`` if it does not exist.
    mutating func form(of row: ScannedRow, in view: any StoreView) throws -> StoredForm {
        guard let form = try form(row.form, in: view) else {
            throw StoreError.unreadableRecord(id: row.id, cause: "its form is missing")
        }
        return form
    }

    /// The form with a number, cached within a memory limit.
    mutating func form(_ id: Int64, in view: any StoreView) throws -> StoredForm? {
        if let known = forms.value(for: id) { return known }
        guard let form = try view.form(id) else { return nil }
        forms.keep(form, for: id, bytes: form.text.bytes + form.host.utf8.count + form.recording.utf8.count + 64)
        return form
    }
}

private let formLimit = 2048
