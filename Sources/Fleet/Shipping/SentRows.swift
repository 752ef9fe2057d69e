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
