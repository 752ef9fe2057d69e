internal import COpenSSL
import Foundation
public import Postgres
import Records
public import Reporting

/// A connection that ships a spool. For one thread; calls block, each for at most the connection's timeout per answer.
///
/// A load that is shipped again is not added again: it is identified by its time and id. So shipping
/// continues after the server's number if the file's load of that number is the one that the server has. Otherwise the
/// file was restored to an older state, or a copy of it was shipped, and all its loads are shipped again.
public final class Shipping {
    private let spool: Spool
    private let row: GateRow
    private let connection: PostgresConnection
    private var shared = SentRows()
    private var diagnoses = SentRows()
    /// The number up to which the spool is shipped, including loads that were passed over because they cannot be
    /// shipped.
    public private(set) var shipped: Int64
    private var notifier = LoadNotifier()
    /// Reused for all batches.
    private var batch = Spool.Batch()
    /// The loads of the batch that the server did not have.
    private var added = 0
    /// The limit of loads in the next batch: higher while many wait, lower while searching for a load that the server
    /// refuses.
    private var count = Shipping.usualLoads
    /// The time when the gate's row was last updated.
    private var reported: (gate: GateDescription, at: ContinuousClock.Instant)?

    /// The number of loads that the server once had and has lost, and that the file no longer has; 0 if none.
    public let lost: Int64

    /// Connects, and reads where to continue.
    ///
    /// - Throws: `PostgresError`; ``ShippingError``; `StoreError`; ``SchemaError``.
    public init(_ spool: Spool, to address: PostgresAddress, as gate: GateDescription, timeout: Duration) throws {
        self.spool = spool
        connection = try PostgresConnection(address, as: "atsgate \(gate.version)", timeout: timeout)
        if let complaint = try SchemaState(of: connection).complaint { throw SchemaError(complaint) }
        guard let row = GateRow(identity: try spool.identity) else { throw ShippingError.foreign(path: spool.path) }
        self.row = row
        let server = try row.begin(gate, spoolPath: spool.path, on: connection)
        let here = try spool.shipped ?? 0
        let isSame = try spool.id(of: server.number).map { PostgresUUID($0) } == server.last
        let begin = try spool.first(after: 0) ?? .max
        shipped = isSame ? server.number : min(server.number, here, begin - 1)
        let first = try spool.first(after: server.number) ?? .max
        lost = server.number < here ? max(0, min(first - 1, here) - server.number) : 0
    }

    /// The result of ``shipNext()``.
    public struct Step: Sendable, Hashable {
        /// The number of loads that were sent.
        public var shipped = 0
        /// Those of them that the server did not have.
        public var added = 0
        /// True if nothing is left to ship.
        public var isAtEnd = false
        /// A load that the server refused and that was passed over.
        public var refusal: Refusal?
    }

    /// A load that the server refuses because of its content.
    public struct Refusal: Sendable, Hashable {
        /// The number of its row in the spool.
        public let number: Int64
        /// PostgreSQL's error code, which identifies the cause.
        let state: String
        public let words: String
    }

    /// Ships the next loads.
    ///
    /// - Throws: as ``init(_:to:as:timeout:)``; the connection is unusable afterwards.
    public func shipNext() throws -> Step {
        try spool.fill(&batch, after: shipped, count: count, bytes: Self.maxBytes)
        do {
            added = 0
            if batch.end > shipped || !batch.recordings.isEmpty { try ship(batch) }
        } catch PostgresError.refused(let state, let message) where Self.isAboutContent(state) {
            guard batch.loads.count < 2 else {
                count = max(1, batch.loads.count / 2)
                return Step()
            }
            // Only one load is left, so it is the refused one.
            guard let load = batch.loads.first else { return Step() }
            let last = batch.last.map { PostgresUUID($0) }
            try connection.transaction { try row.move(to: batch.end, last: last, on: connection) }
            shipped = batch.end
            return Step(refusal: Refusal(number: load.number, state: state, words: "\(message) (SQLSTATE \(state))"))
        }
        count = batch.isLast ? Self.usualLoads : min(Self.mostLoads, count * 2)
        return Step(shipped: batch.loads.count, added: added, isAtEnd: batch.isLast)
    }

    /// Updates the gate's row and notifies followers, each if it is due.
    ///
    /// - Parameter isLast: true if both are due in any case.
    public func report(
        _ gate: GateDescription, now: ContinuousClock.Instant = .now, isLast: Bool = false
    ) throws {
        try notifier.settle(on: connection, now: now, isLast: isLast)
        // A new dictionary is reported at once, because policy list counts the gates that enforce it.
        guard isLast || reported.map({ $0.gate != gate || now - $0.at >= Self.betweenWords }) ?? true else { return }
        reported = (gate, now)
        try row.touch(gate, waiting: max(0, try spool.last - shipped), on: connection)
    }

    private func ship(_ batch: Spool.Batch) throws {
        do {
            try shipOnce(batch)
        } catch PostgresError.refused(sqlState: "23514", _) {
            // check_violation means a missing partition: the table of loads has no other check constraint.
            for day in Set(batch.loads.map(\.columns.time.day)) {
                _ = try connection.query(
                    "SELECT atsgate.make_day('1970-01-01'::date + $1::int4)", [.int4(Int32(clamping: day))])
            }
            try shipOnce(batch)
        }
    }

    private func shipOnce(_ batch: Spool.Batch) throws {
        let today = Int64(Date().timeIntervalSince1970 * 1000).day
        let missing = (
            shared.missing(of: Self.rows(batch.shared, of: batch, \.shared), today: today),
            diagnoses.missing(of: Self.rows(batch.diagnoses, of: batch, \.diagnosis), today: today)
        )
        if missing.0 != nil || missing.1 != nil {
            try connection.transaction {
                if let rows = missing.0 { try sendShared(rows) }
                if let rows = missing.1 { try sendDiagnoses(rows) }
            }
            missing.0.map { shared.note($0) }
            missing.1.map { diagnoses.note($0) }
        }
        // The loads must be on disk first, so that a crash of this machine never leaves the server ahead of the file.
        try spool.makeDurable(upTo: batch.end)
        let notifies = notifier.isDue(.now)
        try connection.transaction {
            try file(batch)
            if batch.end > shipped {
                let last = batch.last.map { PostgresUUID($0) }
                try row.move(to: batch.end, last: last, on: connection)
            }
            if notifies { try LoadNotifier.notify(on: connection) }
        }
        notifier.note(isNotified: notifies, now: .now)
        shipped = batch.end
    }

    /// The rows that the loads of a batch need, each with the latest start of its loads.
    private static func rows(
        _ rows: [Int64: SpooledRow], of batch: Spool.Batch, _ number: KeyPath<LoadColumns, Int64>
    ) -> [(row: SpooledRow, latest: Int64)] {
        var latest: [Int64: Int64] = [:]
        for (_, load) in batch.loads {
            latest[load[keyPath: number]] = max(latest[load[keyPath: number]] ?? .min, load.time)
        }
        return rows.compactMap { number, row in latest[number].map { (row, $0) } }
    }

    private func sendShared(_ missing: SentRows.Missing) throws {
        if !missing.handshakes.isEmpty {
            let all = missing.handshakes.sorted { $0.key < $1.key }
            _ = try connection.query(
                "SELECT atsgate.add_handshakes($1, $2)", [.uuids(all.map(\.key)), .texts(all.map(\.value))])
        }
        let columns = SpooledRow.sharedColumns.indices.map { column in
            PostgresValue.texts(missing.rows.map { $0.row.values[column] })
        }
        try send(
            "add_shared", [.uuids(missing.rows.map(\.id))] + columns + [.uuids(missing.rows.map(\.handshake))],
            day: missing.day)
    }

    private func sendDiagnoses(_ missing: SentRows.Missing) throws {
        let columns = SpooledRow.diagnosisColumns.indices.map { column in
            PostgresValue.texts(missing.rows.map { $0.row.values[column] })
        }
        try send("add_diagnoses", [.uuids(missing.rows.map(\.id))] + columns, day: missing.day)
    }

    private func send(_ function: String, _ values: [PostgresValue], day: Int64) throws {
        let marks = values.indices.map { "$\($0 + 1)" }.joined(separator: ", ")
        _ = try connection.query(
            "SELECT atsgate.\(function)(\(marks), '1970-01-01'::date + $\(values.count + 1)::int4)",
            values + [.int4(Int32(clamping: day))])
    }

    private func file(_ batch: Spool.Batch) throws {
        let loads = batch.loads.map(\.columns)
        let ids = { (rows: [Int64: SpooledRow], sent: SentRows) in rows.mapValues { sent.id(of: $0) } }
        let (shared, diagnoses) = (ids(batch.shared, shared), ids(batch.diagnoses, diagnoses))
        let values: [PostgresValue] = [
            .uuid(row.spool), .int8s(batch.loads.map(\.number)), .uuids(loads.map { PostgresUUID($0.id) }),
            .times(milliseconds: loads.map(\.time)), .uuids(loads.map { shared[$0.shared] ?? nil }),
            .uuids(loads.map { diagnoses[$0.diagnosis] ?? nil }), .texts(loads.map(\.path)),
            .texts(loads.map(\.client)), .texts(loads.map(\.method)),
            .int8s(loads.map { $0.status.map { Int64($0) } }), .int8s(loads.map(\.bytesSent)),
            .int8s(loads.map(\.bytesReceived)), .int8s(loads.map(\.timing.connect)),
            .int8s(loads.map(\.timing.handshake)), .int8s(loads.map(\.timing.firstByte)),
            .int8s(loads.map(\.timing.total)), .uuids(loads.map { $0.task.map { PostgresUUID($0.name) } }),
            .int8s(loads.map { $0.task?.number }), .texts(loads.map(\.more)),
            .texts(batch.recordings.map(\.name)), .times(milliseconds: batch.recordings.map(\.begin)),
        ]
        let marks = values.indices.map { "$\($0 + 1)" }.joined(separator: ", ")
        added =
            try connection.query("SELECT atsgate.file_loads(\(marks))", values).first.map { Int(try $0.int(0)) } ?? 0
    }

    /// True if the error is about a load's content: data exceptions, and constraints except for a missing partition.
    private static func isAboutContent(_ state: String) -> Bool {
        state.hasPrefix("22") || (state.hasPrefix("23") && state != "23514")
    }

    private static let usualLoads = 500
    /// A batch and its commit have fixed costs, so large batches are cheaper.
    private static let mostLoads = 4_000
    private static let maxBytes = 8 << 20
    private static let betweenWords = Duration.seconds(10)
}

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

/// A spool's row in the table `gate`, which contains how far it was shipped.
struct GateRow: Equatable {
    let spool: PostgresUUID

    /// - Parameter identity: 32 hexadecimal digits.
    init?(identity: String) {
        let (high, low) = (UInt64(identity.prefix(16), radix: 16), UInt64(identity.dropFirst(16), radix: 16))
        guard identity.utf8.count == 32, let high, let low else { return nil }
        spool = PostgresUUID(high: high, low: low)
    }

    /// Creates the row if it does not exist, and reads it.
    ///
    /// - Returns: the number up to which the server has the loads of the file that was shipped last, and the id of that
    ///   load; nil if there is none.
    /// - Throws: ``ShippingError/foreign(path:)`` if another login owns it.
    func begin(
        _ gate: GateDescription, spoolPath: String, on connection: PostgresConnection
    ) throws -> (number: Int64, last: PostgresUUID?) {
        do {
            _ = try connection.query(
                """
                INSERT INTO atsgate.gate (spool, host, label, version, policy, started, seen)
                SELECT $1, $2, $3, $4, $5, now(), now()
                WHERE NOT EXISTS (SELECT FROM atsgate.gate WHERE spool = $1)
                """, [.uuid(spool)] + Self.values(of: gate))
        } catch PostgresError.refused(sqlState: "23505", _) {
            // Another login's row, which this one cannot see, or one that was just created concurrently.
        }
        let rows = try update(gate, "seen = now()", [], on: connection)
        guard let row = rows.first else { throw ShippingError.foreign(path: spoolPath) }
        let number = try row.int(0)
        // Swift 6.3 crashes if orNil is called here.
        return try row.isNull(1) ? (number, nil) : (number, row.uuid(1))
    }

    /// Moves the position, in the transaction of a batch: once it is committed, the server has the loads up to `number`.
    ///
    /// - Parameter last: the id of the last load.
    func move(to number: Int64, last: PostgresUUID?, on connection: PostgresConnection) throws {
        _ = try connection.query(
            "UPDATE atsgate.gate SET shipped = $2, last = coalesce($3::uuid, last), seen = now() WHERE spool = $1",
            [.uuid(spool), .int8(number), last.map { .uuid($0) } ?? .null])
    }

    /// Updates the time when the gate was last seen and its number of waiting loads.
    func touch(_ gate: GateDescription, waiting: Int64, on connection: PostgresConnection) throws {
        _ = try update(gate, "seen = now(), waiting = $2", [.int8(waiting)], on: connection)
    }

    /// - Parameters:
    ///   - changes: assignments in addition to the gate's description.
    ///   - values: the values of `changes`, `$2` and so on.
    private func update(
        _ gate: GateDescription, _ changes: String, _ values: [PostgresValue], on connection: PostgresConnection
    ) throws -> PostgresRows {
        let own = ["host", "label", "version", "policy"].enumerated().map { "\($1) = $\($0 + values.count + 2)" }
        let all = gate.isRecording ? own + [changes] : [changes]
        return try connection.query(
            "UPDATE atsgate.gate SET \(all.joined(separator: ", ")) WHERE spool = $1 RETURNING shipped, last",
            [.uuid(spool)] + values + (gate.isRecording ? Self.values(of: gate) : []))
    }

    private static func values(of gate: GateDescription) -> [PostgresValue] {
        [
            .text(gate.host), gate.label.map { .text($0) } ?? .null, .text(gate.version),
            gate.policy.map { .text($0) } ?? .null,
        ]
    }
}

extension PostgresUUID {
    init(_ id: LoadID) { self.init(high: id.high, low: id.low) }
}

/// A gate's description in a shared store.
public struct GateDescription: Sendable, Hashable {
    /// The machine's name.
    public var host: String
    /// The label of its clients; nil if it has none.
    public var label: String?
    /// The version of atsgate.
    public var version: String
    /// The name of its dictionary; nil for the secure defaults.
    public var policy: String?
    /// True if the gate records into the spool. False for a program that only ships it, whose description is used only
    /// if the server does not know the gate.
    public var isRecording = true

    public init(host: String, label: String? = nil, version: String, policy: String? = nil) {
        self.host = host.withoutNUL
        self.label = label?.withoutNUL
        self.version = version.withoutNUL
        self.policy = policy?.withoutNUL
    }
}

extension String {
    /// The text without U+0000, which PostgreSQL cannot store.
    fileprivate var withoutNUL: String { utf8.contains(0) ? replacing("\0", with: "") : self }
}
