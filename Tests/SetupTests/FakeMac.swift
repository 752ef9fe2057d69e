import Setup

/// A fake Mac that keeps the changes made to it, with answers recorded from real ones. It has the parts of
/// `networksetup`, `route`, `simctl`, `security` and `scutil` that setup uses.
struct FakeMac: FakeMachine {
    struct State: Equatable {
        var proxies: [String: ProxySetting] = [:]
        /// UDIDs of clones that were made after setup.
        var laterClones: [String] = []
        /// UDIDs of the simulators of Xcode Previews; the set exists only with one.
        var previews: [String] = []
        /// UDIDs of the simulators that trust the CA.
        var trusting: Set<String> = []
        var trustsInKeychain = false
        /// The answer of `launchctl managername`.
        var session = "Aqua"
        /// Commands whose words contain this fail.
        var fails: String?
        /// Answers to further commands, by their words.
        var answers: [String: String] = [:]
    }

    let memory: FakeMemory<State>

    init(_ state: State = .usual, afterChange: @escaping @Sendable (State) -> Void = { _ in }) {
        memory = FakeMemory(state, afterChange: afterChange)
    }

    func answer(_ command: [String], _ input: String, _ state: inout State) -> CommandOutcome {
        let words = command.joined(separator: " ")
        if let part = state.fails, words.contains(part) {
            return CommandOutcome(status: 4, output: "** Error: the parameters were not valid.\n")
        }
        if let known = state.answers[words] { return CommandOutcome(output: known) }
        switch command.first {
        case "networksetup": return Self.networksetup(Array(command.dropFirst()), &state)
        case "route":
            return CommandOutcome(output: "   route to: default\n  interface: en0\n      flags: <UP,GATEWAY>\n")
        case "xcrun": return Self.simctl(Array(command.dropFirst(2)), &state)
        case "launchctl": return CommandOutcome(output: state.session + "\n")
        case "sqlite3": return Self.sqlite(Array(command.dropFirst()), &state)
        case "security": return Self.security(Array(command.dropFirst()), &state)
        default: return CommandOutcome(status: 127, complaint: "env: \(command[0]): No such file or directory\n")
        }
    }

    private static func networksetup(_ words: [String], _ state: inout State) -> CommandOutcome {
        if words[0] == "-listnetworkserviceorder" { return CommandOutcome(output: services) }
        let service = words[1]
        let kinds = ["autoproxy": "auto", "securewebproxy": "secure", "webproxy": "web"]
        guard let kind = kinds.keys.sorted(by: { $0.count > $1.count }).first(where: { words[0].contains($0) }) else {
            return CommandOutcome(status: 5, output: "** Error: Unknown option.\n")
        }
        let key = "\(kinds[kind] ?? "") \(service)"
        var setting = state.proxies[key] ?? ProxySetting(isOn: false, server: "")
        if words[0].hasPrefix("-get") {
            let isOn = setting.isOn ? "Yes" : "No"
            return CommandOutcome(
                output: kind == "autoproxy"
                    ? "URL: \(setting.server.isEmpty ? "(null)" : setting.server)\nEnabled: \(isOn)\n"
                    : """
                    Enabled: \(isOn)
                    Server: \(setting.server)
                    Port: \(setting.port)
                    Authenticated Proxy Enabled: 0

                    """)
        }
        if words[0].hasSuffix("state") {
            setting.isOn = words[2] == "on"
        } else {
            setting = ProxySetting(isOn: true, server: words[2], port: words.count > 3 ? Int(words[3]) ?? 0 : 0)
        }
        state.proxies[key] = setting
        return CommandOutcome()
    }

    private static func simctl(_ words: [String], _ state: inout State) -> CommandOutcome {
        let set = words.first == "--set" ? words[1] : nil
        let words = set == nil ? words : Array(words.dropFirst(2))
        if words[0] == "list" {
            switch set {
            case nil: return CommandOutcome(output: simulators)
            case "testing":
                return CommandOutcome(
                    output: others("/Sim/XCTestDevices", ["BBBBBBBB-0000-0000-0000-000000000001"] + state.laterClones) {
                        "Clone \($0) of iPhone 16"
                    })
            case "previews" where !state.previews.isEmpty:
                return CommandOutcome(
                    output: others("/Sim/Xcode/UserData/Previews/Simulator Devices", state.previews) { _ in "iPhone 17"
                    })
            default: return CommandOutcome(status: 161, complaint: "No such file or directory\n")
            }
        }
        if words[2] == "reset" { state.trusting.remove(words[1]) } else { state.trusting.insert(words[1]) }
        return CommandOutcome()
    }

    /// The trust store of a simulator, with at most one row, for ``certificate``.
    private static func sqlite(_ words: [String], _ state: inout State) -> CommandOutcome {
        let (store, statement) = (words[words.count - 2], words[words.count - 1])
        let parts = store.split(separator: "/")
        guard parts.last == "TrustStore.sqlite3", let data = parts.firstIndex(of: "data"), data > 0,
            statement.hasSuffix("FROM tsettings WHERE sha256 = x'\(certificate)'")
        else { return CommandOutcome(status: 1, complaint: "Error: in prepare, no such table: tsettings\n") }
        let udid = String(parts[data - 1])
        if statement.hasPrefix("DELETE") {
            state.trusting.remove(udid)
            return CommandOutcome()
        }
        // Simulates a ~/.sqliterc that turns headers on.
        let heading = words.starts(with: ["-batch", "-init", "/dev/null", "-noheader", "-list"]) ? "" : "count(*)\n"
        return CommandOutcome(output: heading + (state.trusting.contains(udid) ? "1\n" : "0\n"))
    }

    /// SHA-256 of the only known certificate, in hexadecimal.
    static let certificate = String(repeating: "ab", count: 32)

    private static func security(_ words: [String], _ state: inout State) -> CommandOutcome {
        switch words[0] {
        case "add-trusted-cert": state.trustsInKeychain = true
        case "remove-trusted-cert": state.trustsInKeychain = false
        case "verify-cert":
            return state.trustsInKeychain
                ? CommandOutcome(output: "...certificate verification successful.\n")
                : CommandOutcome(status: 1, output: "Cert Verify Result: CSSMERR_TP_NOT_TRUSTED\n")
        default: break
        }
        return CommandOutcome()
    }

    /// The output of `networksetup -listnetworkserviceorder`.
    private static let services = """
        An asterisk (*) denotes that a network service is disabled.
        (1) USB 10/100/1000 LAN
        (Hardware Port: USB 10/100/1000 LAN, Device: en7)

        (2) Wi-Fi
        (Hardware Port: Wi-Fi, Device: en0)

        (*) Thunderbolt Bridge
        (Hardware Port: Thunderbolt Bridge, Device: bridge0)


        """

    /// The output of `simctl list devices available --json`, shortened.
    private static let simulators = """
        {"devices" : {
          "com.apple.CoreSimulator.SimRuntime.iOS-18-5" : [
            {"udid" : "AAAAAAAA-0000-0000-0000-000000000001", "dataPath" : "/Sim/Devices/AAAAAAAA-0000-0000-0000-000000000001/data",
             "isAvailable" : true, "state" : "Booted",
             "name" : "iPhone 16"},
            {"udid" : "AAAAAAAA-0000-0000-0000-000000000002", "dataPath" : "/Sim/Devices/AAAAAAAA-0000-0000-0000-000000000002/data",
             "isAvailable" : true, "state" : "Shutdown",
             "name" : "iPad Air"}],
          "com.apple.CoreSimulator.SimRuntime.tvOS-18-5" : []}}
        """

    /// The same output for a set of Xcode's own, whose simulators are booted.
    private static func others(_ folder: String, _ udids: [String], _ name: (Int) -> String) -> String {
        let simulators = udids.enumerated().map { index, udid in
            """
            {"udid" : "\(udid)", "dataPath" : "\(folder)/\(udid)/data", "state" : "Booted",
             "name" : "\(name(index + 1))"}
            """
        }
        return """
            {"devices" : {"com.apple.CoreSimulator.SimRuntime.iOS-18-5" : [\(simulators.joined(separator: ", "))]}}
            """
    }
}

extension FakeMac.State {
    /// A Mac with a company's proxy on one service, turned off, and an automatic configuration.
    static var usual: FakeMac.State {
        FakeMac.State(proxies: [
            "web Wi-Fi": ProxySetting(isOn: false, server: "proxy.corp.example", port: 3128),
            "secure Wi-Fi": ProxySetting(isOn: false, server: ""),
            "auto Wi-Fi": ProxySetting(isOn: true, server: "http://corp.example/proxy.pac"),
        ])
    }
}
