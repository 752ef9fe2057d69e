public import Postgres
public import Reporting

/// Changes which recordings a shared store holds, as its maintainer. Gates may record into it meanwhile.
public struct SharedRecordings {
    private let connection: PostgresConnection
    private let name: String

    /// - Throws: `StoreError`.
    public init(_ address: PostgresAddress) throws(StoreError) {
        name = address.shown
        do {
            connection = try SharedSource.connect(address)
        } catch {
            throw SharedSource.explained(error, address.shown)
        }
    }

    /// Gives a recording another name, in its records too, in one transaction. Loads that a gate files under the old name
    /// meanwhile keep that.
    ///
    /// - Parameter new: no recording may have it.
    /// - Throws: `StoreError`; nothing is changed then.
    public func rename(_ old: String, to new: String) throws(StoreError) {
        try explained {
            try connection.transaction {
                try connection.run("LOCK TABLE tally IN SHARE ROW EXCLUSIVE MODE")
                let taken = try connection.query("SELECT FROM tally WHERE recording = $1 LIMIT 1", [.text(new)])
                guard taken.isEmpty else { throw StoreError.nameTaken(path: name, name: new) }
                guard let times = try times(of: old) else { return }
                let forms = try connection.query(
                    "SELECT id, text FROM form WHERE recording = $1 ORDER BY id", [.text(old)])
                for form in forms {
                    let text = RecordingName(old).replaced(by: new, in: try form.text(1))
                    try move(form.uuid(0), to: new, text: text, times)
                }
                _ = try connection.query(
                    "UPDATE tally SET recording = $2 WHERE recording = $1", [.text(old), .text(new)])
            }
        }
    }

    /// What a form says is its name, so another name makes another form.
    private func move(_ form: PostgresUUID, to recording: String, text: String, _ times: [PostgresValue]) throws {
        let made = try connection.query(
            """
            INSERT INTO form (id, recording, host, verdict, os, handshake, text, last_day)
            SELECT form_id($2, host, verdict, os, handshake, $3), $2, host, verdict, os, handshake, $3, last_day
            FROM form WHERE id = $1
            ON CONFLICT (id) DO UPDATE SET last_day = greatest(form.last_day, excluded.last_day)
            RETURNING id
            """, [.uuid(form), .text(recording), .text(text)])
        guard let row = made.first else { return }
        _ = try connection.query(
            "UPDATE load SET form = $4 WHERE form = $1 AND time BETWEEN $2 AND $3",
            [.uuid(form)] + times + [.uuid(try row.uuid(0))])
    }

    /// Takes recordings out: a day at a time, so that nobody waits for long. Their forms go with the days that need
    /// them, see ``DayRetention``: a gate may be about to file a load of one.
    ///
    /// - Returns: how many loads went.
    public func delete(_ recordings: [String]) throws(StoreError) -> Int {
        try explained {
            var loads = 0
            for recording in recordings {
                guard let times = try times(of: recording) else { continue }
                let days = try connection.query(
                    """
                    SELECT day::text FROM days
                    WHERE day BETWEEN ($1 AT TIME ZONE 'UTC')::date AND ($2 AT TIME ZONE 'UTC')::date ORDER BY day
                    """, times)
                for day in days {
                    let span = """
                        time >= $2::text::timestamp AT TIME ZONE 'UTC'
                        AND time < ($2::text::date + 1)::timestamp AT TIME ZONE 'UTC'
                        """
                    loads += try deleteLoads(of: recording, span, [.text(try day.text(0))])
                }
                try connection.transaction {
                    try connection.run("LOCK TABLE tally IN SHARE ROW EXCLUSIVE MODE")
                    let rest = try self.times(of: recording) ?? times
                    loads += try deleteLoads(of: recording, "time BETWEEN $2 AND $3", rest)
                    _ = try connection.query("DELETE FROM tally WHERE recording = $1", [.text(recording)])
                }
            }
            return loads
        }
    }

    private func deleteLoads(of recording: String, _ span: String, _ values: [PostgresValue]) throws -> Int {
        try connection.query(
            "DELETE FROM load WHERE form IN (SELECT id FROM form WHERE recording = $1) AND \(span)",
            [.text(recording)] + values
        ).affected
    }

    /// When the first of its loads began and the last one; nil where there is no such recording.
    private func times(of recording: String) throws -> [PostgresValue]? {
        let row = try connection.query(
            "SELECT min(first_time), max(last_time) FROM tally WHERE recording = $1", [.text(recording)]
        ).first
        guard let row, let first = try row.orNil(0, row.milliseconds), let last = try row.orNil(1, row.milliseconds)
        else { return nil }
        return [.time(milliseconds: first), .time(milliseconds: last + 1)]
    }

    /// Takes out the oldest days.
    ///
    /// - Parameter told: hears each day that is gone, and how many loads it had.
    public func prune(
        _ retention: DayRetention, told: (String, Int64) -> Void
    ) throws(StoreError) -> DayRetention.Outcome {
        try explained { try retention.prune(on: connection, told: told) }
    }

    private func explained<Answer>(_ body: () throws -> Answer) throws(StoreError) -> Answer {
        do {
            return try body()
        } catch PostgresError.refused(sqlState: "42501", let message) {
            throw .notAllowed(
                path: name,
                cause: """
                    this login may not change the store (\(message)): an administrator grants it atsgate_maintainer, \
                    as atsgate store roles says
                    """)
        } catch {
            throw SharedSource.explained(error, name)
        }
    }
}
