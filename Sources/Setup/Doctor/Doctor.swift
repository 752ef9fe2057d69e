internal import Text

/// Finds out why no traffic arrives. Checks conditions in order of dependency.
public struct Doctor: Sendable {
    let question: DoctorQuestion

    public init(_ question: DoctorQuestion) { self.question = question }

    public func examine() -> [DoctorFinding] {
        let reply = question.ask(question.gate)
        return [
            gate(reply), certificateAuthority(reply), clock, network(reply), proxy, tunnel, relay, trust, traffic,
            question.traffic?.apps, question.traffic?.build?.finding, policy(reply),
        ].compactMap(\.self) + gateway + wireguard
    }

    private func gate(_ reply: DoctorQuestion.Reply) -> DoctorFinding {
        let place = "\(question.gate)"
        switch reply {
        case .gate: return .well(.gate, "a gate answers at \(place)")
        case .refused:
            return .broken(
                .gate, "nothing listens at \(place); --gate HOST:PORT names another gate",
                fix: command("--listen \(place)"))
        case .silent:
            return .broken(
                .gate, "\(place) does not answer: a firewall or another network is in between",
                fix: "atsgate doctor --gate 127.0.0.1:\(question.gate.port ?? 9802)")
        case .stranger:
            return .broken(
                .gate, "another program listens at \(place)",
                fix: "lsof -nP -iTCP:\(question.gate.port ?? 9802) -sTCP:LISTEN")
        }
    }

    private func certificateAuthority(_ reply: DoctorQuestion.Reply) -> DoctorFinding {
        guard let authority = question.authority else {
            if case .gate = reply {
                return .broken(
                    .certificateAuthority, "the gate uses the CA of another user, HOME or --ca-dir; this user has none",
                    fix: "atsgate doctor --ca-dir FOLDER, with the folder of the gate's CA")
            }
            return .broken(
                .certificateAuthority, "there is no CA yet: a gate creates it when it starts, and so does this command",
                fix: "atsgate ca")
        }
        guard question.now < authority.notAfter else {
            return .broken(.certificateAuthority, "the CA has expired", fix: "atsgate ca rotate")
        }
        if case .gate(let fingerprint, _) = reply, fingerprint != authority.fingerprint {
            return .broken(
                .certificateAuthority,
                "the gate's CA is \(fingerprint.prefix(16))…, not \(authority.fingerprint.prefix(16))… of "
                    + authority.path,
                fix: "restart the gate: it was started by another user, with another HOME or --ca-dir, or before "
                    + "atsgate ca rotate")
        }
        return .well(.certificateAuthority, "the CA is \(authority.fingerprint.prefix(16))… in \(authority.path)")
    }

    private var clock: DoctorFinding? {
        guard let authority = question.authority else { return nil }
        let isEarly = question.now < authority.notBefore
        let isBehind = question.traffic.map { question.now + Self.clockLeeway < $0.last } ?? false
        guard isEarly || isBehind else { return .well(.clock, "the clock agrees with the CA and the recording") }
        let reason = isEarly ? "before the CA was created" : "before the newest recorded load"
        return .broken(.clock, "the clock is \(reason)", fix: "sudo sntp -sS time.apple.com")
    }

    private func network(_ reply: DoctorQuestion.Reply) -> DoctorFinding? {
        guard question.checksDevices, case .gate(_, let inForce) = reply else { return nil }
        let port = question.gate.port ?? 9802
        guard let host = question.hosts.first else {
            return .broken(
                .network, "this machine has no network address that a device could reach",
                fix: "networksetup -setairportpower en0 on")
        }
        let place = Text.Authority(host: host, port: port)
        switch question.ask(place) {
        case .gate: return .well(.network, "devices reach the gate at http://\(place)/")
        case .refused, .stranger:
            return .broken(
                .network, "the gate listens for this machine only, not at \(place)",
                fix: command("--listen 0.0.0.0:\(port) --allow-lan", inForce: inForce))
        case .silent:
            return .broken(
                .network, "a firewall blocks \(place)",
                fix: "sudo /usr/libexec/ApplicationFirewall/socketfilterfw --add $(which atsgate)")
        }
    }

    private var traffic: DoctorFinding {
        guard let traffic = question.traffic, traffic.loads > 0 else {
            return .broken(
                .traffic, "no load has been recorded",
                fix: "curl -x http://\(question.gate) http://atsgate.test/lights.json; then load something in the app")
        }
        let age = max(0, question.now - traffic.last)
        // Another gate may have recorded it.
        let place = traffic.recording.map { ", in recording \($0)" } ?? ""
        guard age <= Self.recentSeconds else {
            return .broken(
                .traffic, "the newest load is \(Self.words(age)) old" + place,
                fix: "open http://atsgate.test/ on the device: its lights show what is missing")
        }
        return .well(.traffic, "the newest load is \(Self.words(age)) old" + place)
    }

    /// Uses the gate's own report; without one, the policies of its loads.
    private func policy(_ reply: DoctorQuestion.Reply) -> DoctorFinding? {
        guard let wanted = question.policy else { return nil }
        if case .gate(_, let inForce?) = reply {
            guard !isSame(inForce, wanted) else { return .well(.policy, "the gate judges by \(inForce)") }
            return .broken(
                .policy, "the gate judges by \(inForce), not by \(wanted)",
                fix: command("--listen \(question.gate)"))
        }
        guard let found = question.traffic?.policies, !found.isEmpty else {
            return .unknown(.policy, "neither the gate nor a load shows which policy is in force")
        }
        if found.contains(where: { isSame($0, wanted) }) {
            return .well(.policy, "loads were judged by \(wanted)")
        }
        return .broken(
            .policy, "loads were judged by \(found.joined(separator: ", ")), not by \(wanted)",
            fix: command("--listen \(question.gate)"))
    }

    /// A command that starts a gate with the wanted dictionary, or else with the one in force.
    private func command(_ options: String, inForce: String? = nil) -> String {
        // The page of a gate without a dictionary shows these words, and - for standard input.
        let policy = question.policy ?? (inForce == "secure defaults" || inForce == "-" ? nil : inForce)
        return "atsgate proxy " + (policy.map { "--policy \($0.shellWord) " } ?? "") + options
    }

    /// True if both paths mean the same file; a bundle's property list counts as the bundle.
    private func isSame(_ found: String, _ wanted: String) -> Bool {
        let (found, wanted) = (absolute(found), absolute(wanted))
        return found == wanted || found.hasPrefix(wanted + "/") || found.hasPrefix(wanted + "!")
    }

    private func absolute(_ path: String) -> String {
        let whole = path.hasPrefix("/") ? path : question.folder + "/" + path
        var parts: [Substring] = []
        for part in whole.split(separator: "/") where part != "." {
            if part == ".." { _ = parts.popLast() } else { parts.append(part) }
        }
        return "/" + parts.joined(separator: "/")
    }

    static func words(_ seconds: Int64) -> String {
        if seconds < 120 { return "\(seconds) s" }
        return seconds < 7_200 ? "\(seconds / 60) min" : "\(seconds / 3_600) h"
    }

    /// Older loads are not evidence of current traffic.
    private static let recentSeconds: Int64 = 600
    /// Seconds by which a load may be ahead of the clock.
    private static let clockLeeway: Int64 = 60
}
