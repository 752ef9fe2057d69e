import Postgres

/// Rows of a shared store as SQL, in the form in which gates file them, for tests without a spool.
enum FiledRows {
    static let gate = "00000000-0000-0000-0000-0000000000a1"

    /// The id of a shared row. Only the owner may compute it on the server; a gate computes it itself.
    ///
    /// - Parameter text: SQL.
    static func id(host: String, verdict: String = "blocked", recording: String = "r", text: String = "'t'") -> String {
        """
        content_id(
            ARRAY['\(recording)', '\(host)', '\(verdict)', 'ios26.4', NULL, 'proxy', NULL, NULL, NULL, \(text)], NULL)
        """
    }

    /// Inserts a shared row, as the owner.
    static func insertShared(
        host: String, verdict: String = "blocked", recording: String = "r", day: String = "now()"
    ) -> String {
        """
        INSERT INTO shared (id, recording, host, verdict, os, entrance, text, last_day)
        VALUES (\(id(host: host, verdict: verdict, recording: recording)), '\(recording)', '\(host)', '\(verdict)',
            'ios26.4', 'proxy', 't', \(day))
        ON CONFLICT (id) DO UPDATE SET last_day = greatest(shared.last_day, excluded.last_day);
        """
    }

    /// Adds a shared row with a gate's function.
    ///
    /// - Parameters:
    ///   - id: SQL.
    ///   - text: SQL.
    static func addShared(_ id: String, host: String, text: String = "'t'", day: String = "2026-11-05") -> String {
        """
        SELECT add_shared(
            ARRAY[\(id)]::uuid[], '{r}', '{\(host)}', '{blocked}', '{ios26.4}', '{NULL}', '{proxy}', '{NULL}', '{NULL}',
            '{NULL}', ARRAY[\(text)], ARRAY[NULL]::uuid[], '\(day)')
        """
    }

    static let addNoShared =
        "SELECT add_shared('{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '2026-11-05')"

    /// Files a load with a gate's function.
    ///
    /// - Parameters:
    ///   - shared: SQL for the id of its shared row, which must exist.
    ///   - id: SQL for its id; a new one by default.
    ///   - path: SQL.
    static func load(
        _ time: String, shared: String, diagnosis: String = "NULL", gate: String = gate,
        id: String = "gen_random_uuid()", path: String = "'/'"
    ) -> String {
        """
        SELECT file_loads(
            '\(gate)', '{1}', ARRAY[\(id)]::uuid[], '{\(time)}', ARRAY[\(shared)]::uuid[], ARRAY[\(diagnosis)]::uuid[],
            ARRAY[\(path)], '{192.0.2.1:1}', '{GET}', '{200}', '{0}', '{0}', '{NULL}', '{NULL}', '{NULL}', '{1}',
            ARRAY[NULL]::uuid[], '{NULL}', '{NULL}', '{}', '{}')
        """
    }

    /// Files a recording without loads.
    static func recording(_ name: String, begun: String, gate: String = gate) -> String {
        """
        SELECT file_loads(
            '\(gate)', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}',
            '{}', '{}', '{\(name)}', '{\(begun)}')
        """
    }
}

extension FleetDatabase {
    /// Makes a shared row that any gate may use.
    ///
    /// - Returns: SQL for its id.
    func makeShared(host: String = "h") throws -> String {
        let administrator = try connect()
        try administrator.run(FiledRows.insertShared(host: host))
        return "'\(try administrator.texts("SELECT \(FiledRows.id(host: host))::text")[0])'"
    }
}
