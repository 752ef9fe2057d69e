import ArgumentParser
import Fleet
import Postgres
import Reporting
import Text

/// The check of a store by `doctor`: each page and load of a file, or the state of a shared store.
struct StoreCheck {
    /// True to compare the gates' counts with the loads of a shared store, which reads all of them.
    let counts: Bool
    /// True to print one JSON object.
    let json: Bool

    /// - Throws: ``CommandFailure``; `ExitCode` with 69 if gates cannot use a shared store, with 65 if it has other
    ///   problems.
    func run(_ choices: GateChoices) throws {
        if case .shared(let address) = choices.store { return try check(address) }
        guard !counts else {
            throw CommandFailure.usage("--count needs a shared store: --store postgres://USER@HOST/DATABASE")
        }
        guard let path = choices.storePath else { throw CommandFailure.usage("name the store to check: --store PATH") }
        try check(path)
    }

    private func check(_ path: String) throws {
        let reader = try StoreReader(path: path)
        let loads = try Progress.during("checking", of: reader.counter) { try reader.checkWhole() }
        let recordings = try reader.recordings().count
        let facts = JSONValue.object([
            ("store", .string(path)), ("recordings", .number(recordings)), ("loads", .number(loads)),
        ])
        let words = "\(recordings) \(recordings == 1 ? "recording" : "recordings"), \(loads.loads): all can be read"
        try StoreInitCommand.write((json ? facts.text : words) + "\n")
    }

    private func check(_ address: PostgresAddress) throws {
        let limit = Duration.seconds(counts ? 3_600 : 60)
        let check = try address.connected(timeout: limit, limit: limit) { connection in
            let check = try FleetCheck(of: connection, counts: counts)
            try StoreInitCommand.write(json ? check.json(of: address).text + "\n" : check.text(of: address))
            return check
        }
        guard check.state.complaint == nil else { throw ExitCode(CommandFailure.unavailableExitCode) }
        guard check.complaints.isEmpty else { throw ExitCode(CommandFailure.badInputExitCode) }
    }
}

extension FleetCheck {
    fileprivate func text(of address: PostgresAddress) -> String {
        let names = isSuperuser ? "superuser" : roles.map(\.rawValue).joined(separator: ", ")
        var lines = [
            "store   \(address.shown)",
            "server  PostgreSQL \(server.printable)",
            "login   \(login.printable), \(names.isEmpty ? "no roles" : names)",
            "schema  \(state.word)",
        ]
        if let days {
            let span = [days.first, days.last].compactMap(\.self).joined(separator: " to ")
            lines.append(
                "days    \(days.count)\(span.isEmpty ? "" : ", " + span), \(days.bytes.asSize); "
                    + "shared data \(days.sharedBytes.asSize)")
            lines.append("gates   \(gates.count)")
        }
        lines += gates.prefix(Self.gatesShown).map { gate in
            let seen = gate.seen.map { "seen \($0.dayAndTime) UTC" } ?? "never seen"
            return """
                  \(gate.name.printable), \(gate.version.printable), login \(gate.owner.printable): \(seen), \
                \(Int(gate.loads).loads), \(gate.blocked) blocked, \(gate.waiting) waiting
                """
        }
        if gates.count > Self.gatesShown { lines.append("  and \(gates.count - Self.gatesShown) more") }
        lines += (remarks + complaints.map { "problem: \($0)" }).map(\.printable)
        if complaints.isEmpty { lines.append("no problems") }
        return lines.map { $0 + "\n" }.joined()
    }

    private static let gatesShown = 100

    fileprivate func json(of address: PostgresAddress) -> JSONValue {
        .object([
            ("store", .string(address.shown)), ("server", .string(server)), ("login", .string(login)),
            ("superuser", .flag(isSuperuser)), ("roles", .texts(roles.map(\.rawValue))),
            ("schema", .string(state.word)),
            (
                "days",
                days.map { days in
                    .object([
                        ("count", .number(Int(days.count))), ("first", .text(days.first)), ("last", .text(days.last)),
                        ("bytes", .number(Int(days.bytes))), ("sharedBytes", .number(Int(days.sharedBytes))),
                    ])
                } ?? .null
            ),
            ("gates", .array(gates.map(\.json))), ("remarks", .texts(remarks)), ("complaints", .texts(complaints)),
        ])
    }
}

extension FleetGate {
    fileprivate var json: JSONValue {
        .object([
            ("name", .string(name)), ("spool", .string(spool)), ("version", .string(version)),
            ("login", .string(owner)), ("policy", .text(policy)), ("seen", .number(seen.map { Int($0) })),
            ("waiting", .number(Int(waiting))), ("loads", .number(Int(loads))), ("blocked", .number(Int(blocked))),
        ])
    }
}

extension SchemaState {
    /// A word for scripts: never rename one.
    fileprivate var word: String {
        switch self {
        case .absent: "absent"
        case .hidden: "hidden"
        case .current: "current"
        case .other: "other"
        }
    }
}
