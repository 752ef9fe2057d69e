public import Postgres

/// Takes the oldest days of a shared store out, as its maintainer: a day is detached while gates go on writing, and then
/// dropped, which gives its bytes back to the disk at once.
///
/// Each of the two waits for whoever reads, as long as that takes, and nobody waits for long behind it: what cannot be
/// locked soon is tried again later. Not DETACH PARTITION ... CONCURRENTLY, which would refuse a gate's loads of the day
/// as long as a reader is open, and longer where the prune ends before (PostgreSQL 15, ALTER TABLE).
public struct DayRetention: Sendable {
    /// What a prune took out.
    public struct Outcome: Sendable, Hashable {
        /// As `2026-11-05`, the oldest first.
        public var days: [String] = []
        public var loads: Int64 = 0
        /// Forms, handshakes and gates that nothing refers to any more.
        public var leftovers: Int64 = 0
    }

    /// Days that ended longer ago than this go, in milliseconds; nil keeps them all.
    private let age: Int64?
    /// Days go until the days take no more than this, in bytes; nil for no such bound. First those behind the coming week,
    /// the latest first, which only wrong clocks ask for; then the oldest. Today stays, and so do those of the coming week,
    /// which do not count: what somebody files ahead takes none of what was filed before.
    private let bytes: Int64?

    public init(ageMilliseconds age: Int64? = nil, bytes: Int64? = nil) {
        self.age = age
        self.bytes = bytes
    }

    private struct Day {
        let name: String
        let partition: String
        /// Or half detached.
        let isAttached: Bool
        let isDetaching: Bool
        let bytes: Int64
        let span: Span
        let isOld: Bool

        enum Span: Int64 { case over, today, comingWeek, later }
    }

    /// Takes out what is too old or too much. Of prunes at the same time each day is taken out by one.
    ///
    /// - Parameter told: hears each day that is gone, and how many loads it had.
    /// - Throws: `PostgresError` where the server refuses, for example `42501` to who is no maintainer. What is out by then
    ///   stays out.
    public func prune(
        on connection: PostgresConnection, told: (String, Int64) -> Void = { _, _ in }
    ) throws -> Outcome {
        var outcome = Outcome()
        let all = try days(on: connection)
        var total = all.filter { $0.isAttached && $0.span != .comingWeek }.reduce(0) { $0 + $1.bytes }
        for day in all {
            // What an interrupted prune has left is ended, whatever is asked for now.
            let isTooMuch = bytes.map { total > $0 && (day.span == .over || day.span == .later) } ?? false
            guard !day.isAttached || day.isDetaching || day.isOld || isTooMuch else { continue }
            if let loads = try takeOut(day, on: connection) {
                outcome.days.append(day.name)
                outcome.loads += loads
                told(day.name, loads)
            }
            if day.isAttached && day.span != .comingWeek { total -= day.bytes }
        }
        outcome.leftovers = try sweep(connection)
        try connection.run("SELECT atsgate.make_days_ahead()")
        return outcome
    }

    /// Ends what an interrupted prune has left.
    static func endInterrupted(on connection: PostgresConnection) throws {
        let retention = DayRetention()
        for day in try retention.days(on: connection) where !day.isAttached || day.isDetaching {
            _ = try retention.takeOut(day, on: connection)
        }
    }

    /// In the order in which they go.
    private func days(on connection: PostgresConnection) throws -> [Day] {
        let rows = try connection.query(
            """
            SELECT day::text, 'load_' || to_char(day, 'YYYYMMDD'), attached, detaching, bytes,
                CASE WHEN day < today THEN 0 WHEN day = today THEN 1 WHEN day <= today + 7 THEN 2 ELSE 3 END::int8,
                ((day + 1)::timestamp AT TIME ZONE 'UTC') < now() - $1::int8 * interval '1 millisecond'
            FROM atsgate.days, (SELECT (now() AT TIME ZONE 'UTC')::date AS today) AS now
            ORDER BY CASE WHEN day > today + 7 THEN day END DESC NULLS LAST, day
            """, [age.map { .int8($0) } ?? .null])
        return try rows.map { row in
            Day(
                name: try row.text(0), partition: try row.text(1), isAttached: try row.bool(2),
                isDetaching: try row.bool(3), bytes: try row.int(4),
                span: Day.Span(rawValue: try row.int(5)) ?? .today, isOld: try row.orNil(6, row.bool) ?? false)
        }
    }

    /// - Returns: how many loads the day had; nil where somebody has taken it out, or made it a day again, meanwhile.
    private func takeOut(_ day: Day, on connection: PostgresConnection) throws -> Int64? {
        if day.isAttached { try connection.patiently { try detach(day, on: connection) } }
        return try connection.patiently {
            let row = try connection.query("SELECT atsgate.drop_day($1::text::date)", [.text(day.name)]).first
            return try row?.orNil(0) { column throws(PostgresError) in try row?.int(column) ?? 0 }
        }
    }

    private func detach(_ day: Day, on connection: PostgresConnection) throws {
        try connection.run("LOCK TABLE atsgate.load IN ACCESS EXCLUSIVE MODE")
        let now = try connection.query(
            "SELECT detaching FROM atsgate.days WHERE attached AND day = $1::text::date", [.text(day.name)]
        ).first
        guard let now else { return }
        // An older atsgate may have left it half detached.
        let how = try now.bool(0) ? " FINALIZE" : ""
        try connection.run("ALTER TABLE atsgate.load DETACH PARTITION atsgate.\(day.partition)\(how)")
    }

    /// Takes out what no kept day needs. A day of grace is for gates whose clocks differ, a month for spools that are
    /// brought home late. Forms that were to be needed by days to come, and are not, count as needed today: nobody keeps
    /// them by a word alone.
    private func sweep(_ connection: PostgresConnection) throws -> Int64 {
        let kept = """
            SELECT least(min(day), (now() AT TIME ZONE 'UTC')::date) - 1 FROM atsgate.days
            """
        _ = try connection.query(
            """
            UPDATE atsgate.form f SET last_day = (now() AT TIME ZONE 'UTC')::date
            WHERE f.last_day > (now() AT TIME ZONE 'UTC')::date + 1 AND NOT EXISTS (
                SELECT FROM atsgate.load l WHERE l.form = f.id
                    AND l.time >= ((now() AT TIME ZONE 'UTC')::date + 1)::timestamp AT TIME ZONE 'UTC')
            """)
        let statements = [
            "DELETE FROM atsgate.form WHERE last_day < (\(kept))",
            """
            DELETE FROM atsgate.handshake h
            WHERE h.last_day < (\(kept)) AND NOT EXISTS (SELECT FROM atsgate.form f WHERE f.handshake = h.id)
            """,
            """
            DELETE FROM atsgate.gate g
            WHERE g.seen < (\(kept))::timestamp AT TIME ZONE 'UTC' - interval '30 days'
                AND NOT EXISTS (SELECT FROM atsgate.tally t WHERE t.gate = g.spool)
            """,
        ]
        return try statements.reduce(0) { try $0 + Int64(connection.query($1).affected) }
    }
}
