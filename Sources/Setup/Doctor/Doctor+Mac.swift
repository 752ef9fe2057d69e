internal import Text

/// Checks of the system: proxies, tunnels, trust.
extension Doctor {
    /// - Returns: nil if the system cannot be checked.
    var proxy: DoctorFinding? {
        let place = "\(question.gate)"
        guard let runner = question.runner else { return environmentProxy }
        let settings = ProxyDictionary(runner.run(["scutil", "--proxy"]).output)
        if settings.isOn("ProxyAutoConfigEnable") {
            let address = settings["ProxyAutoConfigURLString"] ?? ""
            if address.contains(place) { return .well(.proxy, "this Mac gets its proxy from \(address)") }
            return .broken(
                .proxy, "an automatic proxy configuration takes precedence: \(address)",
                fix: "atsgate setup mac --proxy \(place)")
        }
        for (name, title) in [("HTTP", "web proxy"), ("HTTPS", "secure web proxy")] {
            guard settings.isOn(name + "Enable") else {
                return .broken(.proxy, "this Mac has no \(title)", fix: "atsgate setup mac --proxy \(place)")
            }
            let found = "\(settings[name + "Proxy"] ?? ""):\(settings[name + "Port"] ?? "")"
            guard isGate(found) else {
                return .broken(
                    .proxy, "the \(title) is \(found), not the gate", fix: "atsgate setup mac --proxy \(place)")
            }
        }
        return .well(.proxy, "this Mac sends http and https to \(place)")
    }

    /// Checks the environment variables of command-line programs.
    private var environmentProxy: DoctorFinding {
        for name in ["https_proxy", "HTTPS_PROXY", "http_proxy", "all_proxy", "ALL_PROXY"] {
            guard let value = question.environment[name], !value.isEmpty else { continue }
            let found = value.split(separator: "/", omittingEmptySubsequences: true).dropFirst().first.map(String.init)
            if let found, isGate(found) { return .well(.proxy, "\(name) points to the gate") }
            return .broken(
                .proxy, "\(name) is \(value.printable), not the gate",
                fix: "export \(name)=http://\(question.gate)")
        }
        return .unknown(
            .proxy, "no proxy variable is set here", fix: "atsgate run -- COMMAND, or set it on the device")
    }

    private func isGate(_ place: String) -> Bool {
        let own = ["127.0.0.1", "localhost", "::1"]
        guard let found = try? Text.Authority(place[...]), found.port == question.gate.port else { return false }
        return found.host == question.gate.host || own.contains(found.host) && own.contains(question.gate.host)
            || question.hosts.contains(found.host)
    }

    /// A VPN with the default route bypasses the proxy of the service below it.
    var tunnel: DoctorFinding? {
        guard let runner = question.runner else { return nil }
        for line in runner.run(["scutil", "--nc", "list"]).output.split(separator: "\n")
        where line.contains("(Connected)") {
            let quoted = line.split(separator: "\"")
            let name = quoted.count > 1 ? String(quoted[1]) : "?"
            return .broken(.tunnel, "the VPN \(name) is connected", fix: "scutil --nc stop \(name.shellWord)")
        }
        let interfaces = runner.run(["scutil", "--nwi"]).output.split(separator: "\n").first {
            $0.hasPrefix("Network interfaces:")
        }
        let first = interfaces?.split(separator: " ").dropFirst(2).first.map(String.init) ?? ""
        guard ["utun", "ppp", "ipsec"].contains(where: first.hasPrefix) else {
            return .well(.tunnel, "no VPN carries the default route")
        }
        return .broken(
            .tunnel, "a VPN carries the default route (\(first))",
            fix: "disconnect it in its own app, or in System Settings › VPN")
    }

    /// iCloud Private Relay is detected by requests for its hosts. Source: Apple, "Prepare your network or web server
    /// for iCloud
    /// Private Relay": mask.icloud.com and mask-h2.icloud.com.
    var relay: DoctorFinding {
        let fix = "Settings › your name › iCloud › Private Relay › off, on the device"
        guard let traffic = question.traffic else {
            return .unknown(.relay, "iCloud Private Relay cannot be detected before the first load")
        }
        return traffic.hasRelay
            ? .broken(.relay, "iCloud Private Relay is on: its hosts were requested", fix: fix)
            : .well(.relay, "no load requested the hosts of iCloud Private Relay")
    }

    var trust: DoctorFinding? {
        guard let authority = question.authority else { return nil }
        guard let runner = question.runner else {
            return .unknown(
                .trust, "only the device itself can check whether it trusts the CA",
                fix: "open http://atsgate.test/ there")
        }
        let outcome = runner.run(Setup.trustQuestion(authority.path))
        return outcome.status == 0
            ? .well(.trust, "this Mac trusts the CA")
            : .broken(.trust, "this Mac does not trust the CA", fix: "atsgate setup mac")
    }
}

/// The output of `scutil --proxy`: lines of `Name : value`.
struct ProxyDictionary {
    private var members: [String: String] = [:]

    init(_ text: String) {
        for line in text.split(separator: "\n") {
            guard let colon = line.firstRange(of: " : ") else { continue }
            let name = line[..<colon.lowerBound].drop { $0 == " " }
            members[String(name)] = String(line[colon.upperBound...])
        }
    }

    subscript(_ name: String) -> String? { members[name] }

    func isOn(_ name: String) -> Bool { members[name] == "1" }
}
