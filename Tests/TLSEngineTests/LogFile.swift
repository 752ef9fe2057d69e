import ATSPolicy
import TLSEngine

/// Lists of logs in both file formats.
enum LogFile {
    /// One operator with a log for each of the given states.
    static func json(
        _ logs: [(LogIdentity, state: String)], tiled: [LogIdentity] = [], time: String = "2026-11-19T00:00:00Z"
    ) -> String {
        let entries = logs.map { entry($0.0, state: $0.state) }.joined(separator: ",\n")
        let tiles = tiled.map { entry($0, state: "usable") }.joined(separator: ",\n")
        return """
            {"version": "1.0", "log_list_timestamp": "\(time)", "operators": [
            {"name": "Example", "email": ["ct@example.test"], "logs": [\(entries)], "tiled_logs": [\(tiles)]}
            ]}
            """
    }

    /// - Parameter state: its name, optionally followed by a space and its start time.
    static func entry(_ log: LogIdentity, state: String) -> String {
        let words = state.split(separator: " ")
        let time = words.count > 1 ? words[1] : "2026-01-01T00:00:00Z"
        return """
            {"description": "log", "log_id": "\(log.idBase64)", "key": "\(log.keyBase64)",
            "url": "https://ct.example.test/", "mmd": 86400, "state": {"\(words[0])": {"timestamp": "\(time)"}},
            "temporal_interval": {"start_inclusive": "2026-01-01T00:00:00Z", "end_exclusive": "2027-01-01T00:00:00Z"}}
            """
    }

    static func configuration(_ logs: [LogIdentity]) -> String {
        let names = logs.indices.map { "log\($0)" }.joined(separator: ", ")
        let sections = logs.enumerated().map { index, log in
            "[log\(index)]\ndescription = Log \(index)\nkey = \(log.keyBase64)\n"
        }
        return "# comment\nenabled_logs = \(names)\n" + sections.joined(separator: "\n")
    }
}
