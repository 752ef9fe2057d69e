import Foundation
public import Postgres
public import Reporting

/// One connection that a spool is shipped by. For one thread; calls block, each as long as the connection's patience.
///
/// Exactly once: the server's row of the spool changes in the transaction of each batch, from what this end knows it to
/// be. After any error a new connection asks the server, and goes on behind its answer.
public final class Shipping {
    private let spool: Spool
    private let row: GateRow
    private let connection: PostgresConnection
    private var sent = SentForms()
    /// The last row that was looked at: some cannot be shipped.
    private var server: GateRow.Place
    private var notifier = LoadNotifier()
    /// Recordings without loads that the server knows.
    private var toldRecordings: Set<String> = []
    /// Filled again and again.
    private var batch = Spool.Batch()
    /// Loads of the next batch at most: more while many wait, fewer while one is looked for that the server refuses.
    private var count = Shipping.usualLoads
    /// When the gate's row was told last that it lives.
    private var told: ContinuousClock.Instant?

    /// Loads that the server once had and that are lost there; 0 for none.
    public let lost: Int64
    /// What people must know of a spool that got another identity, since the server has loads of it that the file does not;
    /// nil for nothing.
    public let parting: String?

    /// Connects, and looks where to go on.
    ///
    /// - Parameter isLookedFor: whether its loads may be there under another identity, as those of an export. Where the
    ///   server does not know the file, all of them are looked for.
    /// - Throws: `PostgresError`; ``ShippingError``; `StoreError`; ``SchemaError``.
    public init(
        _ spool: Spool, to address: PostgresAddress, as gate: GateDescription, patience: Duration,
        isLookedFor: Bool = false
    ) throws {
        self.spool = spool
        connection = try PostgresConnection(address, as: "atsgate \(gate.version)", patience: patience)
        if let complaint = try SchemaState(of: connection).complaint { throw SchemaError(complaint) }
        let fork = try SpoolFork(of: spool, as: gate, isLookedFor: isLookedFor, on: connection)
        (row, server, lost) = (fork.row, fork.place, fork.lost)
        parting = fork.words(path: spool.path)
    }

    /// What a call of ``shipNext()`` came to.
    public struct Step: Sendable, Hashable {
        public var shipped = 0
        /// There is nothing more to ship now.
        public var isAtEnd = false
        /// What the server does not take, and is passed over.
        public var refusal: Refusal?
    }

    /// A load that the server does not take, for what is in it.
    public struct Refusal: Sendable, Hashable {
        /// Of its row in the spool.
        public let number: Int64
        /// An error code of PostgreSQL, by which one cause is told from another.
        let state: String
        public let words: String
    }

    /// Ships the next loads.
    ///
    /// - Throws: as ``init(_:to:as:patience:)``; the connection is of no more use then.
    public func shipNext() throws -> Step {
        try spool.fill(&batch, behind: server.number, count: count, bytes: Self.mostBytes)
        batch.emptyRecordings.removeAll { toldRecordings.contains($0.name) }
        do {
            if batch.end > server.number || !batch.emptyRecordings.isEmpty { try ship(batch) }
        } catch PostgresError.refused(let state, let message) where Self.isAboutContent(state) {
            guard batch.loads.count < 2 else {
                count = max(1, batch.loads.count / 2)
                return Step()
            }
            // This one alone is what the server does not take.
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

    /// Tells the server, where it is time, that the gate lives, and who waits for loads that there are some.
    ///
    /// - Parameter isLast: it is time for both.
    public func tell(
        _ gate: GateDescription, now: ContinuousClock.Instant = .now, isLast: Bool = false
    ) throws {
        try notifier.settle(on: connection, now: now, isLast: isLast)
        guard isLast || told.map({ now - $0 >= Self.betweenWords }) ?? true else { return }
        told = now
        try row.tell(gate, waiting: max(0, try spool.last - server.number), on: connection)
    }

    /// How far it is shipped, as the file is to know.
    public var mark: Spool.Mark { Spool.Mark(server) }

    private func ship(_ batch: Spool.Batch) throws {
        do {
            try shipOnce(batch)
        } catch PostgresError.refused(sqlState: "23514", _) {
            // No partition: the table of loads has no other constraint.
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
        // The server is never ahead of the file, whatever happens to this machine.
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

    /// Where the server is once it has a batch: what could not be read of it is not looked at again, and has no id.
    private func place(behind batch: Spool.Batch) -> GateRow.Place {
        guard batch.end > server.number else { return server }
        let last = batch.loads.last { $0.number == batch.end }
        return GateRow.Place(number: batch.end, id: last.map { PostgresUUID($0.id) })
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

    /// The server does not take what is in a load: data exceptions, and constraints but for a missing partition.
    private static func isAboutContent(_ state: String) -> Bool {
        state.hasPrefix("22") || (state.hasPrefix("23") && state != "23514")
    }

    private static let usualLoads = 500
    /// What a batch costs besides its loads costs the same whatever is in it, and so does a commit.
    private static let mostLoads = 4_000
    private static let mostBytes = 8 << 20
    private static let betweenWords = Duration.seconds(10)
}
