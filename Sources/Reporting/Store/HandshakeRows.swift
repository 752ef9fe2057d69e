import Bytes
import GRDB
import Records
import Text

/// Writes each handshake once per store, and caches row numbers. Must be replaced after a rollback.
struct HandshakeRows {
    private var rows = WeighedCache<RecordedHandshake, Int64>(.rows, limit: 4 << 20, count: 1024)

    /// The handshake's row, inserted if the store lacks it.
    mutating func row(of handshake: RecordedHandshake, in db: Database) throws -> Int64 {
        if let row = rows.value(for: handshake) { return row }
        let text = handshake.text
        let digest = Self.digest(of: text)
        let row: Int64
        if let known = try db.number(findSQL, [digest, text]) {
            row = known
        } else {
            try db.cachedStatement(sql: insertSQL).execute(arguments: [digest, text])
            row = db.lastInsertedRowID
        }
        rows.keep(row, for: handshake, bytes: handshake.bytes)
        return row
    }

    /// The digest need not resist attacks: texts with the same digest are compared.
    private static func digest(of text: String) -> Int64 { Int64(bitPattern: Fingerprint.digest(text.utf8)) }
}

private let findSQL = "SELECT id FROM handshake WHERE digest = ? AND text = ?"
private let insertSQL = "INSERT INTO handshake (digest, text) VALUES (?, ?)"
