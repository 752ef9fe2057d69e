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
    /// meanwhile keep that. Gates go on shipping while the forms are made, and wait while the loads change theirs. Where
    /// somebody else keeps the tallies it is begun again, see ``DayRetention``.
    ///
    /// - Parameter new: no recording may have it.
    /// - Throws: `StoreError`; nothing is changed then.
    public func rename(_ old: String, to new: String) throws(StoreError) {
        try explained {
            try whileDaysStay {
                try refuseTaken(new)
                guard try times(of: old) != nil else { return }
                var forms = Renaming(old: old, new: new)
                try make(&forms)
                try connection.run("LOCK TABLE tally IN SHARE ROW EXCLUSIVE MODE")
                try refuseTaken(new)
                guard let times = try times(of: old) else { return }
                // Those that came meanwhile.
                try make(&forms)
                _ = try connection.query(
                    """
                    UPDATE load SET form = renamed.new FROM unnest($1::uuid[], $2::uuid[]) AS renamed (old, new)
                    WHERE load.form = renamed.old AND load.time BETWEEN $3 AND $4
                    """, [.uuids(forms.names.map(\.key)), .uuids(forms.names.map(\.value))] + times)
                _ = try connection.query(
                    "UPDATE tally SET recording = $2 WHERE recording = $1", [.text(old), .text(new)])
            }
        }
    }

    /// In a transaction in which no day is detached and not dropped, and that keeps nobody waiting for long: who detached one
    /// counts its loads when it drops it, and finds the tallies by the names that the loads have. What an interrupted prune
    /// has left is ended first, since it may become a day again.
    private func whileDaysStay<Value>(_ body: () throws -> Value) throws -> Value {
        while true {
            try DayRetention.endInterrupted(on: connection)
            let value: Value? = try connection.patiently {
                // Nobody detaches a day behind this lock, which the loads of gates do not wait for.
                try connection.run("LOCK TABLE load IN ROW EXCLUSIVE MODE")
                guard try connection.query("SELECT FROM days WHERE NOT attached OR detaching").isEmpty else {
                    return nil
                }
                return try body()
            }
            if let value { return value }
        }
    }

    private func refuseTaken(_ new: String) throws {
        let taken = try connection.query("SELECT FROM tally WHERE recording = $1 LIMIT 1", [.text(new)])
        guard taken.isEmpty else { throw StoreError.nameTaken(path: name, name: new) }
    }

    /// What a form says is its name, so another name of the recording makes another form.
    private struct Renaming {
        let old: String
        let new: String
        /// Forms that were made, by those in whose place they come.
        var names: [PostgresUUID: PostgresUUID] = [:]
    }

    /// Makes those that are missing, some at a time.
    private func make(_ forms: inout Renaming) throws {
        while true {
            let rows = try connection.query(
                """
                SELECT id, text FROM form WHERE recording = $1 AND NOT id = ANY ($2) ORDER BY id LIMIT \(formsAtOnce)
                """, [.text(forms.old), .uuids(forms.names.map(\.key))])
            guard !rows.isEmpty else { return }
            let name = RecordingName(forms.old)
            let texts = try rows.map { name.replaced(by: forms.new, in: try $0.text(1)) }
            let made = try connection.query(
                makeSQL, [.text(forms.new), .uuids(try rows.map { try $0.uuid(0) }), .texts(texts)])
            for row in made { forms.names[try row.uuid(0)] = try row.uuid(1) }
        }
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
                loads += try whileDaysStay {
                    try connection.run("LOCK TABLE tally IN SHARE ROW EXCLUSIVE MODE")
                    let rest = try self.times(of: recording) ?? times
                    let late = try deleteLoads(of: recording, "time BETWEEN $2 AND $3", rest)
                    _ = try connection.query("DELETE FROM tally WHERE recording = $1", [.text(recording)])
                    return late
                }
            }
            return loads
        }
    }

    private func deleteLoads(of recording: String, _ span: String, _ values: [PostgresValue]) throws -> Int {
        let isOfRecording = SharedFilterClause.condition("form", isFoundBy: "SELECT id FROM form WHERE recording = $1")
        return try connection.query(
            "DELETE FROM load WHERE \(isOfRecording) AND \(span)", [.text(recording)] + values
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

private let formsAtOnce = 500
/// In the order of their numbers, as gates send them: who meets others in opposite orders stops them.
private let makeSQL = """
    WITH renamed AS (
        SELECT old.id AS old, form_id($1, host, verdict, os, handshake, given.text) AS id, host, verdict, os, handshake,
            given.text, last_day
        FROM unnest($2::uuid[], $3::text[]) AS given (id, text) JOIN form AS old ON old.id = given.id
    ), made AS (
        INSERT INTO form (id, recording, host, verdict, os, handshake, text, last_day)
        SELECT DISTINCT ON (id) id, $1, host, verdict, os, handshake, text, last_day FROM renamed ORDER BY id
        ON CONFLICT (id) DO UPDATE SET last_day = greatest(form.last_day, excluded.last_day)
    )
    SELECT old, id FROM renamed
    """
