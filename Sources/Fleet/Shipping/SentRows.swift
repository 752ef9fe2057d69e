internal import COpenSSL
import Postgres
import Reporting

/// The shared rows or diagnoses that this connection has sent, and for which days. Each is sent once a day, so that
/// retention knows which rows are in use. Bounded: forgotten rows are sent again.
struct SentRows {
    private struct Sent {
        let id: PostgresUUID
        /// The last day for which it was sent, counted from 1970-01-01 UTC; nil if none.
        var day: Int64?
    }

    /// Rows that must be sent before a batch of loads, in the order of their ids.
    struct Missing {
        var rows: [(id: PostgresUUID, handshake: PostgresUUID?, row: SpooledRow)] = []
        var handshakes: [PostgresUUID: String] = [:]
        /// The last of the loads' days, counted from 1970-01-01 UTC.
        var day: Int64 = 0
    }

    private var sent: [Int: Sent] = [:]

    /// The id of a row, after a call of ``missing(of:for:today:)``.
    func id(of row: SpooledRow) -> PostgresUUID? { sent[row.serial]?.id }

    /// Returns the rows that the server may lack; nil if there are none.
    ///
    /// - Parameters:
    ///   - rows: the rows that loads need, with the latest start of these loads.
    ///   - today: days since 1970-01-01 UTC.
    mutating func missing(of rows: [(row: SpooledRow, latest: Int64)], today: Int64) -> Missing? {
        if sent.count > mostRows { sent = [:] }
        var missing = Missing()
        for (row, latest) in rows {
            let day = max(today, latest.day)
            let known = sent[row.serial]
            if let known, let last = known.day, last >= day { continue }
            missing.day = max(missing.day, day)
            let handshake = row.handshake.map { text in
                let key = ContentKey.handshake(text)
                missing.handshakes[key] = text
                return key
            }
            let id = known?.id ?? ContentKey.row(row.values, handshake: handshake)
            sent[row.serial] = Sent(id: id, day: known?.day)
            missing.rows.append((id, handshake, row))
        }
        guard !missing.rows.isEmpty else { return nil }
        missing.rows.sort { $0.id < $1.id }
        return missing
    }

    /// Notes that the server has these rows.
    mutating func note(_ missing: Missing) {
        for (_, _, row) in missing.rows { sent[row.serial]?.day = missing.day }
    }
}

extension Int64 {
    /// The day of a time in milliseconds since 1970-01-01 UTC, counted from that date.
    var day: Int64 { floored(by: millisecondsOfADay) }
}

private let millisecondsOfADay: Int64 = 86_400_000
private let mostRows = 20_000

/// The ids of shared rows, diagnoses and handshakes in a shared store: the first 128 bits of the SHA-256 of their
/// content. All gates compute the same id for the same content without asking the server, which verifies it
/// (content_id of Schema/schema.sql).
enum ContentKey {
    static func handshake(_ text: String) -> PostgresUUID { key(counted(text)) }

    /// - Parameter handshake: the key of the row's handshake; nil if it has none.
    static func row(_ values: [String?], handshake: PostgresUUID?) -> PostgresUUID {
        key(values.flatMap(counted) + (handshake.map { length(16) + $0.bytes } ?? length(-1)))
    }

    /// The text with its length first, so that different contents never have the same bytes; -1 alone for no text.
    private static func counted(_ text: String?) -> [UInt8] {
        text.map { length($0.utf8.count) + $0.utf8 } ?? length(-1)
    }

    private static func length(_ count: Int) -> [UInt8] {
        withUnsafeBytes(of: Int32(truncatingIfNeeded: count).bigEndian) { Array($0) }
    }

    private static func key(_ bytes: [UInt8]) -> PostgresUUID {
        var digest = [UInt8](repeating: 0, count: 32)
        EVP_Digest(bytes, bytes.count, &digest, nil, EVP_sha256(), nil)
        return PostgresUUID(digest)
    }
}
