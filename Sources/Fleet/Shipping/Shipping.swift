import Foundation
public import Postgres
public import Reporting

/// A connection that ships a spool. For one thread; calls block, each for at most the connection's timeout per answer.
///
/// Loads are shipped exactly once: the transaction of each batch changes the server's row of the spool, but only if the
/// row still has the expected value. After an error, a new connection reads the row and continues after it.
public final class Shipping {
    private let spool: Spool
    private let row: GateRow
    private let connection: PostgresConnection
    private var sent = SentForms()
    /// The server's position, including loads that were passed over because they cannot be shipped.
    private var server: GateRow.ShippedPosition
    private var notifier = LoadNotifier()
    /// The recordings without loads that the server knows.
    private var toldRecordings: Set<String> = []
    /// Reused for all batches.
    private var batch = Spool.Batch()
    /// The limit of loads in the next batch: higher while many wait, lower while searching for a load that the server
    /// refuses.
    private var count = Shipping.usualLoads
    /// The time when the gate's row was last updated.
    private var told: ContinuousClock.Instant?

    /// The number of loads that the server once had and has lost; 0 if none.
    public let lost: Int64
    /// A notice for the user if the spool got a new identity, because the server has loads of it that the file lacks;
    /// otherwise nil.
    public let forkNotice: String?

    /// Connects, and reads where to continue.
    ///
    /// - Parameter mayBeElsewhere: whether the loads may be on the server under another identity, like those of an
    ///   export. If the server does not know the file, all of its loads are looked up.
    /// - Throws: `PostgresError`; ``ShippingError``; `StoreError`; ``SchemaError``.
    public init(
        _ spool: Spool, to address: PostgresAddress, as gate: GateDescription, timeout: Duration,
        mayBeElsewhere: Bool = false
    ) throws {
        self.spool = spool
        connection = try PostgresConnection(address, as: "atsgate \(gate.version)", timeout: timeout)
        if let complaint = try SchemaState(of: connection).complaint { throw SchemaError(complaint) }
        let fork = try SpoolFork(of: spool, as: gate, mayBeElsewhere: mayBeElsewhere, on: connection)
        (row, server, lost) = (fork.row, fork.place, fork.lost)
        forkNotice = fork.words(path: spool.path)
    }

    /// The result of ``shipNext()``.
    public struct Step: Sendable, Hashable {
        public var shipped = 0
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
        try spool.fill(&batch, behind: server.number, count: count, bytes: Self.maxBytes)
        batch.emptyRecordings.removeAll { toldRecordings.contains($0.name) }
        do {
            if batch.end > server.number || !batch.emptyRecordings.isEmpty { try ship(batch) }
        } catch PostgresError.refused(let state, let message) where Self.isAboutContent(state) {
            guard batch.loads.count < 2 else {
                count = max(1, batch.loads.count / 2)
                return Step()
            }
            // Only one load is left, so it is the refused one.
            guard let load = batch.loads.first else { return Step() }
            let new = place(behind: batch)
            try connection.transaction { try row.move(from: server, to: new, on: connection) }
            server = new
            return Step(refusal: Refusal(number: load.number, state: state, words: "\(message) (SQLSTATE \(state))"))
        }
        toldRecordings.formUnion(batch.emptyRecordings.map(\.name))
        count = batch.isLast ? Self.usualLoads : min(Self.mostLoads, count * 2)
        return Step(shipped: batch.loads.count, isAtEnd: batch.isLast)
    }

    /// Updates the gate's row and notifies followers, each if it is due.
    ///
    /// - Parameter isLast: true if both are due in any case.
    public func report(
        _ gate: GateDescription, now: ContinuousClock.Instant = .now, isLast: Bool = false
    ) throws {
        try notifier.settle(on: connection, now: now, isLast: isLast)
        guard isLast || told.map({ now - $0 >= Self.betweenWords }) ?? true else { return }
        told = now
        try row.touch(gate, waiting: max(0, try spool.last - server.number), on: connection)
    }

    /// The position up to which the spool is shipped, for the file.
    public var mark: Spool.Mark { Spool.Mark(server) }

    private func ship(_ batch: Spool.Batch) throws {
        do {
            try shipOnce(batch)
        } catch PostgresError.refused(sqlState: "23514", _) {
            // check_violation means a missing partition: the table of loads has no other check constraint.
            for day in Set(batch.loads.map(\.time.day)) {
                _ = try connection.query(
                    "SELECT atsgate.make_day('1970-01-01'::date + $1::int4)", [.int4(Int32(clamping: day))])
            }
            try shipOnce(batch)
        }
    }

    private func shipOnce(_ batch: Spool.Batch) throws {
        if let missing = sent.missing(of: batch, today: Int64(Date().timeIntervalSince1970 * 1000).day) {
            try connection.transaction { try send(missing) }
            sent.note(missing)
        }
        let new = place(behind: batch)
        // The loads must be on disk first, so that a crash of this machine never leaves the server ahead of the file.
        try spool.makeDurable(upTo: new.number)
        let notifies = notifier.isDue(.now)
        try connection.transaction {
            if new != server { try row.move(from: server, to: new, on: connection) }
            if !batch.loads.isEmpty { try copy(batch) }
            try TallyRows(batch).add(to: row.spool, on: connection)
            if notifies { try LoadNotifier.notify(on: connection) }
        }
        notifier.note(isNotified: notifies, now: .now)
        server = new
    }

    /// The server's position after a batch. Loads that could not be read are skipped for good, and have no id.
    private func place(behind batch: Spool.Batch) -> GateRow.ShippedPosition {
        guard batch.end > server.number else { return server }
        let last = batch.loads.last { $0.number == batch.end }
        return GateRow.ShippedPosition(number: batch.end, id: last.map { PostgresUUID($0.id) })
    }

    private func send(_ missing: SentForms.Missing) throws {
        if !missing.handshakes.isEmpty {
            let all = missing.handshakes.sorted { $0.key < $1.key }
            _ = try connection.query(
                "SELECT atsgate.add_handshakes($1, $2)", [.uuids(all.map(\.key)), .texts(all.map(\.value))])
        }
        let forms = missing.forms
        _ = try connection.query(
            "SELECT atsgate.add_forms($1, $2, $3, $4, $5, $6, $7, '1970-01-01'::date + $8::int4)",
            [
                .uuids(forms.map(\.id)), .texts(forms.map(\.form.recording)), .texts(forms.map(\.form.host)),
                .texts(forms.map(\.form.verdict)), .texts(forms.map(\.form.os)), .uuids(forms.map(\.handshake)),
                .texts(forms.map(\.form.text)), .int4(Int32(clamping: missing.day)),
            ])
    }

    private func copy(_ batch: Spool.Batch) throws {
        let forms = sent.ids(of: batch)
        try connection.copyIn(
            "COPY atsgate.load (gate, seq, id, time, form, rule, url, entry) FROM STDIN (FORMAT binary)"
        ) { copy in
            try batch.texts.withUnsafeBytes { texts in
                func text(_ place: Range<Int>?) {
                    if let place { copy.utf8(UnsafeRawBufferPointer(rebasing: texts[place])) } else { copy.null() }
                }
                for load in batch.loads {
                    guard let form = forms[load.form] else { throw ShippingError.moved }
                    try copy.row(8)
                    copy.uuid(row.spool)
                    copy.int8(load.number)
                    copy.uuid(PostgresUUID(load.id))
                    copy.time(milliseconds: load.time)
                    copy.uuid(form)
                    text(load.rule)
                    text(load.url)
                    text(load.entry)
                }
            }
        }
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
