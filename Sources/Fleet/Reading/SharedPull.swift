import Bytes
import Postgres
import Records
import Reporting

/// Reads rows of a shared store within one transaction, into a temporary store that the readers of files read.
final class SharedPull {
    let connection: PostgresConnection
    let texts: SharedTexts

    init(_ connection: PostgresConnection, _ texts: SharedTexts) {
        self.connection = connection
        self.texts = texts
    }

    /// The columns of a load, in the order of ``load(_:)``.
    static let columns = """
        load.time, load.id, load.shared, load.diagnosis, load.path, load.client, load.method, load.status, load.sent,
        load.received, load.connect, load.handshake, load.first_byte, load.total, load.task, load.task_number, load.more
        """

    // MARK: - Parts

    /// The part of the store, as a temporary store.
    func pull(_ part: StorePart, counter: WorkCounter) throws -> PulledStore {
        let store = try PulledStore()
        try store.fill { writer in
            switch part {
            case .recordings: try recordings(RecordFilter(), counts: true, to: &writer)
            case .groups(let filter):
                try recordings(filter, counts: false, to: &writer)
                try groups(filter, to: &writer)
            case .loads(let filter):
                try recordings(filter, counts: false, to: &writer)
                guard let clause = try clause(filter) else { return }
                var rows = PulledRows()
                try forEachFetched(
                    "SELECT \(Self.columns) FROM load WHERE \(clause.sql) ORDER BY load.time, load.id", clause.values,
                    pieces: 128...2048
                ) { piece in
                    counter.add(piece.count)
                    try add(piece, to: &writer, &rows)
                    return true
                }
            }
        }
        return store
    }

    /// A temporary store with the loads of a piece.
    func store(of piece: PostgresRows) throws -> PulledStore {
        let store = try PulledStore()
        try store.fill { writer in
            var rows = PulledRows()
            try add(piece, to: &writer, &rows)
        }
        return store
    }

    /// - Parameter counts: whether to add the number of their loads, as if each recording and verdict had one shared row.
    private func recordings(_ filter: RecordFilter, counts: Bool, to writer: inout PulledStore.Writer) throws {
        let asked = filter.recordings.isEmpty ? "" : " WHERE recording = ANY ($1)"
        let rows = try connection.query(
            """
            SELECT recording, verdict, sum(loads)::bigint,
                coalesce(min(first_time) FILTER (WHERE loads > 0), min(first_time)),
                coalesce(max(last_time) FILTER (WHERE loads > 0), max(last_time))
            FROM tally\(asked) GROUP BY recording, verdict
            """, filter.recordings.isEmpty ? [] : [.texts(filter.recordings)])
        for row in rows {
            let (name, loads, first) = (try row.text(0), try row.int(2), try row.milliseconds(3))
            try writer.addRecording(name, begun: first)
            guard counts, loads > 0 else { continue }
            let shared = try writer.addShared(
                [name, "", try row.text(1), "", nil, "proxy", nil, nil, nil, "{}"], handshake: nil)
            try writer.addTally(shared, 0, loads: loads, times: first...max(first, try row.milliseconds(4)))
        }
    }

    private func groups(_ filter: RecordFilter, to writer: inout PulledStore.Writer) throws {
        guard let clause = try clause(filter) else { return }
        let sql = """
            SELECT load.shared, load.diagnosis, count(*), min(load.time), max(load.time) FROM load
            WHERE \(clause.sql) GROUP BY load.shared, load.diagnosis
            """
        var rows = PulledRows()
        try forEachFetched(sql, clause.values, pieces: 2048...8192) { piece in
            let keys = try piece.map { (try $0.uuid(0), try $0.orNil(1, $0.uuid)) }
            try add(keys.map(\.0), keys.compactMap(\.1), to: &writer, &rows)
            for (key, row) in zip(keys, piece) {
                let (first, last) = (try row.milliseconds(3), try row.milliseconds(4))
                try writer.addTally(
                    rows.shared(key.0), rows.diagnosis(key.1), loads: row.int(2), times: first...max(first, last))
            }
            return true
        }
    }

    /// Adds the loads of rows with ``columns``.
    private func add(_ piece: PostgresRows, to writer: inout PulledStore.Writer, _ rows: inout PulledRows) throws {
        let keys = try piece.map { (try $0.uuid(2), try $0.orNil(3, $0.uuid)) }
        try add(keys.map(\.0), keys.compactMap(\.1), to: &writer, &rows)
        for (key, row) in zip(keys, piece) {
            var load = try Self.load(row)
            load.shared = try rows.shared(key.0)
            load.diagnosis = try rows.diagnosis(key.1)
            try writer.add(load)
        }
    }

    private static func load(_ row: PostgresRow) throws(PostgresError) -> LoadColumns {
        let id = try row.uuid(1)
        var load = LoadColumns(
            shared: 0, diagnosis: 0, time: try row.milliseconds(0), path: try row.text(4),
            id: LoadID(high: id.high, low: id.low), client: try row.text(5), method: try row.text(6))
        load.status = try row.orNil(7, row.int).map { Int($0) }
        load.bytesSent = try row.int(8)
        load.bytesReceived = try row.int(9)
        load.timing.connect = try row.orNil(10, row.int)
        load.timing.handshake = try row.orNil(11, row.int)
        load.timing.firstByte = try row.orNil(12, row.int)
        load.timing.total = try row.int(13)
        if let name = try row.orNil(14, row.uuid), let number = try row.orNil(15, row.int) {
            load.task = DeviceTask(name: LoadID(high: name.high, low: name.low), number: number)
        }
        load.more = try row.orNil(16, row.text)
        return load
    }

    // MARK: - Conditions and pieces

    /// The conditions of a filter; nil if no load can match it.
    func clause(_ filter: RecordFilter) throws -> SharedClause? {
        let asked = filter.recordings.isEmpty ? "" : " AND recording = ANY ($1)"
        let row = try connection.query(
            "SELECT min(first_time), max(last_time) FROM tally WHERE loads > 0\(asked)",
            filter.recordings.isEmpty ? [] : [.texts(filter.recordings)]
        ).first
        guard let row, let first = try row.orNil(0, row.milliseconds), let last = try row.orNil(1, row.milliseconds)
        else { return nil }
        return SharedClause(filter, within: first...max(first, last))
    }

    /// Fetches a result in pieces, so that memory stays flat and other queries may run in between.
    ///
    /// - Parameters:
    ///   - pieces: the number of rows of the first piece, and the maximum for later ones.
    ///   - body: returns false to stop.
    func forEachFetched(
        _ sql: String, _ values: [PostgresValue], pieces: ClosedRange<Int>, _ body: (PostgresRows) throws -> Bool
    ) throws {
        let name = "piecewise_\(texts.nextNumber())"
        _ = try connection.query("DECLARE \(name) NO SCROLL CURSOR FOR \(sql)", values)
        var (count, most, passed) = (pieces.lowerBound, pieces.upperBound, 0)
        while true {
            let rows = try connection.cutQuery("FETCH \(count) FROM \(name)")
            passed += rows.count
            guard try body(rows), rows.count == count || rows.isCut else { break }
            count = min(count * 2, most)
            guard rows.isCut else { continue }
            // The cursor is at the end of the piece. It cannot go back, but its snapshot stays: begins again.
            try connection.run("CLOSE \(name)")
            _ = try connection.query("DECLARE \(name) NO SCROLL CURSOR FOR \(sql)", values)
            try connection.run("MOVE FORWARD \(passed) FROM \(name)")
            most = largeRowsAtOnce
            count = most
        }
        try connection.run("CLOSE \(name)")
    }
}

/// The rows that loads share, as a source keeps them between looks. The content of an id never changes.
final class SharedTexts {
    var shared = WeighedCache<PostgresUUID, (values: [String?], handshake: PostgresUUID?)>(
        .rows, limit: 32 << 20, count: 65_536)
    var diagnoses = WeighedCache<PostgresUUID, [String?]>(.rows, limit: 16 << 20, count: 16_384)
    var handshakes = WeighedCache<PostgresUUID, String>(.rows, limit: 16 << 20, count: 8192)
    private var count = 0

    /// Returns a number that is unique for this source.
    func nextNumber() -> Int {
        count += 1
        return count
    }
}

extension PostgresUUID {
    init(_ bits: UInt128) {
        self.init(high: UInt64(truncatingIfNeeded: bits >> 64), low: UInt64(truncatingIfNeeded: bits))
    }

    var bits: UInt128 { UInt128(high) << 64 | UInt128(low) }
}

/// The rows of a piece after one that was too large: a row has up to 1 MiB.
let largeRowsAtOnce = 16

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
