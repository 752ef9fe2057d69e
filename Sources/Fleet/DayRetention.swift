public import Postgres

/// Deletes the oldest days of a shared store, as its maintainer. A day is detached while gates continue to write, then
/// dropped, which frees its disk space immediately.
///
/// Both steps wait until readers are done, but other sessions never wait long for these steps. If a lock is not granted
/// soon, the step gives up and tries again later. DETACH PARTITION ... CONCURRENTLY is not used: it would reject a
/// gate's loads of the day while a reader is open, and for longer after an interrupted prune (PostgreSQL 15, ALTER
/// TABLE).
public struct DayRetention: Sendable {
    /// The result of a prune.
    public struct Outcome: Sendable, Hashable {
        /// Like `2026-11-05`, the oldest first.
        public var days: [String] = []
        public var loads: Int64 = 0
        /// Shared rows, diagnoses, handshakes and gates that are no longer used.
        public var leftovers: Int64 = 0
    }

    /// Deletes days that ended longer ago than this, in milliseconds; nil for no limit.
    private let age: Int64?
    /// Deletes days until the rest takes no more than this, in bytes; nil for no limit. Days after the coming week,
    /// which only wrong clocks create, are deleted first, starting with the latest; then the oldest days. Today and the
    /// coming week stay, and the coming week does not count: loads that are filed ahead of time do not displace earlier
    /// ones.
    private let bytes: Int64?

    public init(ageMilliseconds age: Int64? = nil, bytes: Int64? = nil) {
        self.age = age
        self.bytes = bytes
    }

    private struct Day {
        let name: String
        let partition: String
        /// True also for a day that is half detached.
        let isAttached: Bool
        let isDetaching: Bool
        let bytes: Int64
        let span: Span
        let isOld: Bool

        enum Span: Int64 { case over, today, comingWeek, later }
    }

    /// Deletes the days that are too old or exceed the size limit. Concurrent prunes never delete the same day twice.
    ///
    /// - Parameter onDelete: called with each deleted day and its number of loads.
    /// - Throws: `PostgresError` if the server refuses, for example `42501` if the login is not a maintainer. Days
    ///   deleted by then stay deleted.
    public func prune(
        on connection: PostgresConnection, onDelete: (String, Int64) -> Void = { _, _ in }
    ) throws -> Outcome {
        var outcome = Outcome()
        let all = try days(on: connection)
        var total = all.filter { $0.isAttached && $0.span != .comingWeek }.reduce(0) { $0 + $1.bytes }
        for day in all {
            // Days that an interrupted prune left are always finished.
            let isTooMuch = bytes.map { total > $0 && (day.span == .over || day.span == .later) } ?? false
            guard !day.isAttached || day.isDetaching || day.isOld || isTooMuch else { continue }
            if let loads = try dropDay(day, on: connection) {
                outcome.days.append(day.name)
                outcome.loads += loads
                onDelete(day.name, loads)
            }
            if day.isAttached && day.span != .comingWeek { total -= day.bytes }
        }
        outcome.leftovers = try sweep(connection)
        try connection.run("SELECT atsgate.make_days_ahead()")
        return outcome
    }

    /// Drops the days that an interrupted prune left.
    static func endInterrupted(on connection: PostgresConnection) throws {
        let retention = DayRetention()
        for day in try retention.days(on: connection) where !day.isAttached || day.isDetaching {
            _ = try retention.dropDay(day, on: connection)
        }
    }

    /// The days in the order of deletion.
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

    /// - Returns: the number of loads of the day; nil if another session has dropped it or attached it again in the
    ///   meantime.
    private func dropDay(_ day: Day, on connection: PostgresConnection) throws -> Int64? {
        if day.isAttached { try connection.withLockRetries { try detach(day, on: connection) } }
        return try connection.withLockRetries {
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
        // An interrupted DETACH ... CONCURRENTLY may have left the day half detached.
        let how = try now.bool(0) ? " FINALIZE" : ""
        try connection.run("ALTER TABLE atsgate.load DETACH PARTITION atsgate.\(day.partition)\(how)")
    }

    /// Deletes everything that no remaining day needs. One extra day allows for gates whose clocks differ, and 30 days
    /// for spools that are shipped late. Rows that are marked for future days but unused count as needed today, so
    /// that a wrong mark does not keep them.
    private func sweep(_ connection: PostgresConnection) throws -> Int64 {
        let kept = """
            SELECT least(min(day), (now() AT TIME ZONE 'UTC')::date) - 1 FROM atsgate.days
            """
        for (table, column) in [("shared", "shared"), ("diagnosis", "diagnosis")] {
            _ = try connection.query(
                """
                UPDATE atsgate.\(table) t SET last_day = (now() AT TIME ZONE 'UTC')::date
                WHERE t.last_day > (now() AT TIME ZONE 'UTC')::date + 1 AND NOT EXISTS (
                    SELECT FROM atsgate.load l WHERE l.\(column) = t.id
                        AND l.time >= ((now() AT TIME ZONE 'UTC')::date + 1)::timestamp AT TIME ZONE 'UTC')
                """)
        }
        let statements = [
            "DELETE FROM atsgate.shared WHERE last_day < (\(kept))",
            "DELETE FROM atsgate.diagnosis WHERE last_day < (\(kept))",
            """
            DELETE FROM atsgate.handshake h
            WHERE h.last_day < (\(kept)) AND NOT EXISTS (SELECT FROM atsgate.shared s WHERE s.handshake = h.id)
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
