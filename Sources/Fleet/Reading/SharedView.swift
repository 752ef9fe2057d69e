import Bytes
import Foundation
import Postgres
import Records
import Reporting

/// The state of a shared store within one transaction.
final class SharedView: StoreView {
    let connection: PostgresConnection
    let parts: SharedParts
    let damage: StoreDamage
    /// The number of this look, unique for its source.
    let look: Int

    init(_ connection: PostgresConnection, _ parts: SharedParts, noting damage: StoreDamage) {
        self.connection = connection
        self.parts = parts
        self.damage = damage
        look = parts.nextNumber()
    }

    func tallies() throws -> [StoreTally] {
        let rows = try connection.query(
            """
            SELECT recording, verdict, sum(loads)::bigint,
                coalesce(min(first_time) FILTER (WHERE loads > 0), min(first_time)),
                coalesce(max(last_time) FILTER (WHERE loads > 0), max(last_time))
            FROM tally GROUP BY recording, verdict
            """)
        return try rows.map { row in
            let first = try row.milliseconds(3)
            return StoreTally(
                StoreTally.Key(recording: try row.text(0), verdict: try row.text(1)), loads: try row.int(2),
                times: first...max(first, try row.milliseconds(4)))
        }
    }

    func form(_ number: Int64) throws -> StoredForm? {
        if let known = parts.forms.value(for: number) { return known }
        guard let name = parts.name(number) else { return nil }
        try fetch([name])
        return parts.forms.value(for: number)
    }

    func formText(_ number: Int64) throws -> RecordForm? { try form(number)?.text }

    func handshake(_ number: Int64) throws -> RecordedHandshake? {
        guard let name = parts.name(number) else { return nil }
        let known = parts.handshakes.value(for: number)
        let sql = "SELECT text FROM handshake WHERE id = $1"
        let text = try known ?? connection.query(sql, [.uuid(name)]).first?.array(0)
        guard let text else {
            damage.note(part: "handshake \(name): it is missing")
            return nil
        }
        guard let handshake = try? JSONDecoder().decode(RecordedHandshake.self, from: Data(text)) else {
            damage.note(part: "handshake \(name): it is damaged")
            return nil
        }
        return handshake
    }

    /// Fetches the forms that are not cached, with their handshakes, in one query each.
    func fetch(_ wanted: some Sequence<PostgresUUID>) throws {
        let missing = Set(wanted).filter { parts.forms.value(for: parts.number($0)) == nil }
        var handshakes: Set<PostgresUUID> = []
        try forEachRow(
            "SELECT id, recording, host, verdict, os, text, handshake FROM form WHERE id = ANY ($1)", of: missing
        ) { row in
            let handshake = try row.orNil(6, row.uuid)
            let number = handshake.map(parts.number)
            if let handshake, let number, parts.handshakes.value(for: number) == nil { handshakes.insert(handshake) }
            let text = try row.array(5)
            let form = StoredForm(
                recording: try row.text(1), host: try row.text(2), verdict: try row.text(3), os: try row.text(4),
                text: RecordForm(text: text), handshake: number)
            parts.forms.keep(form, for: parts.number(try row.uuid(0)), bytes: text.count * 2 + 256)
        }
        try forEachRow("SELECT id, text FROM handshake WHERE id = ANY ($1)", of: handshakes) { row in
            let text = try row.array(1)
            parts.handshakes.keep(text, for: parts.number(try row.uuid(0)), bytes: text.count)
        }
    }

    /// Passes on the rows of `ids`, in few statements. Once a result is too large, in small ones.
    ///
    /// - Parameter sql: `$1` are the ids.
    private func forEachRow(
        _ sql: String, of ids: Set<PostgresUUID>, _ body: (PostgresRow) throws -> Void
    ) throws {
        let ids = Array(ids)
        var (begin, count) = (0, ids.count)
        while begin < ids.count {
            let some = ids[begin..<min(begin + count, ids.count)]
            let rows = try connection.cutQuery(sql, [.uuids(Array(some))])
            guard !rows.isCut || count <= largeRowsAtOnce else {
                count = largeRowsAtOnce
                continue
            }
            for row in rows { try body(row) }
            begin = some.endIndex
        }
    }

    func forEachForm(
        _ body: (_ number: Int64, _ recording: String, _ host: String, _ text: String) throws -> Void
    ) throws {
        try forEachFetched("SELECT id, recording, host, text FROM form ORDER BY id", [], pieces: 500...500) { rows in
            for row in rows {
                try body(parts.number(row.uuid(0)), row.text(1), row.text(2), row.text(3))
            }
            return true
        }
    }

    func hostNames(of recordings: [String]) throws -> Set<String> {
        let asked = recordings.isEmpty ? "" : " WHERE recording = ANY ($1)"
        var hosts: Set<String> = []
        try forEachFetched(
            "SELECT DISTINCT host FROM form\(asked)", recordings.isEmpty ? [] : [.texts(recordings)],
            pieces: 2048...8192
        ) { rows in
            for row in rows { hosts.insert(try row.text(0)) }
            return true
        }
        return hosts
    }

    func entryBytes(of recording: String?) throws -> [Int64: Int64] {
        let filter = RecordFilter(recording: recording)
        guard let clause = try clause(filter) else { return [:] }
        var bytes: [Int64: Int64] = [:]
        try forEachFetched(
            "SELECT form, sum(octet_length(entry))::bigint FROM load WHERE \(clause.sql) GROUP BY form", clause.values,
            pieces: 2048...8192
        ) { rows in
            for row in rows { bytes[parts.number(try row.uuid(0))] = try row.int(1) }
            return true
        }
        return bytes
    }

    func generation() throws -> Int { 0 }

    /// The conditions of a filter; nil if no load can match it.
    func clause(_ filter: RecordFilter) throws -> SharedClause? {
        try times(filter).map { SharedClause(filter, within: $0) }
    }

    /// The times of the first and the last load of its recordings, in milliseconds since 1970-01-01 UTC.
    func times(_ filter: RecordFilter) throws -> ClosedRange<Int64>? {
        let asked = filter.recordings.isEmpty ? "" : " AND recording = ANY ($1)"
        let row = try connection.query(
            "SELECT min(first_time), max(last_time) FROM tally WHERE loads > 0\(asked)",
            filter.recordings.isEmpty ? [] : [.texts(filter.recordings)]
        ).first
        guard let row, let first = try row.orNil(0, row.milliseconds), let last = try row.orNil(1, row.milliseconds)
        else { return nil }
        return first...max(first, last)
    }
}
