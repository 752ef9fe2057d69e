import Bytes
import Postgres
import Reporting

/// The rows that loads share.
extension SharedPull {
    /// The numbers of rows in the temporary store.
    struct PulledRows {
        var shared: [PostgresUUID: Int64] = [:]
        var diagnoses: [PostgresUUID: Int64] = [:]
        var handshakes: [PostgresUUID: Int64] = [:]

        func shared(_ id: PostgresUUID) throws -> Int64 { try found(shared[id], "shared row", id) }

        /// 0 for none.
        func diagnosis(_ id: PostgresUUID?) throws -> Int64 {
            try id.map { try found(diagnoses[$0], "diagnosis", $0) } ?? 0
        }

        func handshake(_ id: PostgresUUID?) throws -> Int64? {
            try id.map { try found(handshakes[$0], "handshake", $0) }
        }

        private func found(_ number: Int64?, _ what: String, _ id: PostgresUUID) throws -> Int64 {
            guard let number else { throw PostgresError.broken("\(what) \(id) is missing in the store") }
            return number
        }
    }

    private typealias SharedTextRow = (id: PostgresUUID, values: [String?], handshake: PostgresUUID?)

    /// Adds the rows that the temporary store lacks: cached ones, and others from the server. However large they are,
    /// only a piece of them is in memory at once.
    func add(
        _ shared: [PostgresUUID], _ diagnoses: [PostgresUUID], to writer: inout PulledStore.Writer,
        _ rows: inout PulledRows
    ) throws {
        var (cached, wanted) = ([SharedTextRow](), Set<PostgresUUID>())
        for id in Set(shared) where rows.shared[id] == nil {
            if let row = texts.shared.value(for: id) {
                cached.append((id, row.values, row.handshake))
            } else {
                wanted.insert(id)
            }
        }
        try add(cached, to: &writer, &rows)
        let columns = SpooledRow.sharedColumns.joined(separator: ", ")
        try forEachPiece("SELECT id, handshake, \(columns) FROM shared WHERE id = ANY ($1)", of: wanted) { piece in
            let found: [SharedTextRow] = try piece.map { row in
                let values = try SpooledRow.sharedColumns.indices.map { try row.orNil($0 + 2, row.text) }
                return (try row.uuid(0), values, try row.orNil(1, row.uuid))
            }
            for row in found {
                let bytes = row.values.reduce(128) { $0 + ($1?.utf8.count ?? 0) }
                texts.shared.keep((row.values, row.handshake), for: row.id, bytes: bytes)
            }
            try add(found, to: &writer, &rows)
        }
        try add(diagnoses: Set(diagnoses).filter { rows.diagnoses[$0] == nil }, to: &writer, &rows)
    }

    private func add(
        _ found: [SharedTextRow], to writer: inout PulledStore.Writer, _ rows: inout PulledRows
    ) throws {
        var wanted: Set<PostgresUUID> = []
        for id in Set(found.compactMap(\.handshake)) where rows.handshakes[id] == nil {
            if let text = texts.handshakes.value(for: id) {
                rows.handshakes[id] = try writer.addHandshake(text)
            } else {
                wanted.insert(id)
            }
        }
        try forEachPiece("SELECT id, text FROM handshake WHERE id = ANY ($1)", of: wanted) { piece in
            for row in piece {
                let (id, text) = (try row.uuid(0), try row.text(1))
                texts.handshakes.keep(text, for: id, bytes: text.utf8.count)
                rows.handshakes[id] = try writer.addHandshake(text)
            }
        }
        for row in found {
            rows.shared[row.id] = try writer.addShared(row.values, handshake: rows.handshake(row.handshake))
        }
    }

    private func add(
        diagnoses ids: Set<PostgresUUID>, to writer: inout PulledStore.Writer, _ rows: inout PulledRows
    ) throws {
        var wanted: Set<PostgresUUID> = []
        for id in ids {
            if let values = texts.diagnoses.value(for: id) {
                rows.diagnoses[id] = try writer.addDiagnosis(values)
            } else {
                wanted.insert(id)
            }
        }
        try forEachPiece("SELECT id, rule, text FROM diagnosis WHERE id = ANY ($1)", of: wanted) { piece in
            for row in piece {
                let (id, text) = (try row.uuid(0), try row.text(2))
                let values = [try row.orNil(1, row.text), text]
                texts.diagnoses.keep(values, for: id, bytes: text.utf8.count)
                rows.diagnoses[id] = try writer.addDiagnosis(values)
            }
        }
    }

    /// Passes on the rows of `ids`, in few statements. Once a result is too large, in small ones.
    ///
    /// - Parameter sql: `$1` are the ids.
    private func forEachPiece(
        _ sql: String, of ids: Set<PostgresUUID>, _ body: (PostgresRows) throws -> Void
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
            try body(rows)
            begin = some.endIndex
        }
    }
}
