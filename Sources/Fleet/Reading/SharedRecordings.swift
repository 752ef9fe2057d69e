public import Postgres
public import Reporting

/// Renames, deletes and prunes recordings of a shared store, as its maintainer. Gates may record into it at the same
/// time.
public struct SharedRecordings {
    private let connection: PostgresConnection
    private let name: String

    /// - Throws: `StoreError`.
    public init(_ address: PostgresAddress) throws(StoreError) {
        name = address.shown
        do {
            connection = try SharedSource.connect(
                address, dialing: SharedSource.dialingLimit, until: .now + SharedSource.commandLimit)
        } catch {
            throw SharedSource.explained(error, address.shown)
        }
    }

    /// Renames a recording, in its records too, in one transaction. Loads that a gate files under the old name at the
    /// same time keep it. Gates continue to ship while the rows are made, and wait while the loads are updated. If
    /// another session locks the tallies, it starts again, see ``DayRetention``.
    ///
    /// - Parameter new: a name that no recording has.
    /// - Throws: `StoreError`; nothing is changed then.
    public func rename(_ old: String, to new: String) throws(StoreError) {
        try explained {
            try whileDaysStay {
                try refuseTaken(new)
                guard try times(of: old) != nil else { return }
                var rows = Renaming(old: old, new: new)
                try make(&rows)
                try connection.run("LOCK TABLE tally IN SHARE ROW EXCLUSIVE MODE")
                try refuseTaken(new)
                guard let times = try times(of: old) else { return }
                // Rows that were added in the meantime.
                try make(&rows)
                _ = try connection.query(
                    """
                    UPDATE load SET shared = renamed.new FROM unnest($1::uuid[], $2::uuid[]) AS renamed (old, new)
                    WHERE load.shared = renamed.old AND load.time BETWEEN $3 AND $4
                    """, [.uuids(rows.ids.map(\.key)), .uuids(rows.ids.map(\.value))] + times)
                _ = try connection.query(
                    "UPDATE tally SET recording = $2 WHERE recording = $1", [.text(old), .text(new)])
            }
        }
    }

    /// Runs `body` in a transaction during which no day is detached but not yet dropped, and which never makes others
    /// wait long. The session that drops a detached day subtracts its loads from the tallies by the names in the loads.
    /// Days that an interrupted prune left are dropped first, because they may be attached again.
    private func whileDaysStay<Value>(_ body: () throws -> Value) throws -> Value {
        while true {
            try DayRetention.endInterrupted(on: connection)
            let value: Value? = try connection.withLockRetries {
                // With this lock held, no day can be detached. Gates that add loads do not wait for it.
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

    /// The new ids of a recording's shared rows. The id of a row depends on its content, so renaming makes new rows.
    private struct Renaming {
        let old: String
        let new: String
        /// The new ids by the old ones.
        var ids: [PostgresUUID: PostgresUUID] = [:]
    }

    /// Makes the missing rows.
    private func make(_ rows: inout Renaming) throws {
        let made = try connection.query(
            makeSQL, [.text(rows.old), .text(rows.new), .uuids(rows.ids.map(\.key))])
        for row in made { rows.ids[try row.uuid(0)] = try row.uuid(1) }
    }

    /// Deletes recordings, one day at a time, so that no session waits long. What their loads share is deleted with the
    /// days that need it, see ``DayRetention``, because a gate may be about to file a load with it.
    ///
    /// - Returns: the number of deleted loads.
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
        let isOfRecording = "(shared IN (SELECT id FROM shared WHERE recording = $1)) IS TRUE"
        return try connection.query(
            "DELETE FROM load WHERE \(isOfRecording) AND \(span)", [.text(recording)] + values
        ).affected
    }

    /// The start of the first and of the last load; nil if there is no such recording.
    private func times(of recording: String) throws -> [PostgresValue]? {
        let row = try connection.query(
            "SELECT min(first_time), max(last_time) FROM tally WHERE recording = $1", [.text(recording)]
        ).first
        guard let row, let first = try row.orNil(0, row.milliseconds), let last = try row.orNil(1, row.milliseconds)
        else { return nil }
        return [.time(milliseconds: first), .time(milliseconds: last + 1)]
    }

    /// Deletes the oldest days.
    ///
    /// - Parameter onDelete: called with each deleted day and its number of loads.
    public func prune(
        _ retention: DayRetention, onDelete: (String, Int64) -> Void
    ) throws(StoreError) -> DayRetention.Outcome {
        try explained { try retention.prune(on: connection, onDelete: onDelete) }
    }

    private func explained<Answer>(_ body: () throws -> Answer) throws(StoreError) -> Answer {
        do {
            return try body()
        } catch PostgresError.refused(sqlState: "42501", let message) {
            throw .notAllowed(
                path: name,
                cause: """
                    this login may not change the store (\(message)): an administrator can grant it \
                    atsgate_maintainer, see atsgate store init --roles
                    """)
        } catch {
            throw SharedSource.explained(error, name)
        }
    }
}

/// Sorted by id, as gates send them: opposite orders would cause deadlocks.
private let makeSQL = """
    WITH renamed AS (
        SELECT id AS old, content_id(
            ARRAY[$2, host, verdict, os, label, entrance, policy, bundle, mode, text], handshake) AS new, *
        FROM shared WHERE recording = $1 AND NOT id = ANY ($3)
    ), made AS (
        INSERT INTO shared (
            id, recording, host, verdict, os, label, entrance, policy, bundle, mode, text, handshake, last_day)
        SELECT DISTINCT ON (new) new, $2, host, verdict, os, label, entrance, policy, bundle, mode, text, handshake,
            last_day
        FROM renamed ORDER BY new
        ON CONFLICT (id) DO UPDATE SET last_day = greatest(shared.last_day, excluded.last_day)
    )
    SELECT old, new FROM renamed
    """
