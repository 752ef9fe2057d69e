internal import Text

/// Tells why nothing arrives: every condition in the order in which one needs the other.
public struct Doctor: Sendable {
    let question: DoctorQuestion

    public init(_ question: DoctorQuestion) { self.question = question }

    public func examine() -> [DoctorFinding] {
        let reply = question.ask(question.gate)
        return [
            gate(reply), certificateAuthority(reply), clock, network(reply), proxy, tunnel, relay, trust, traffic,
            policy(reply), evidence,
        ].compactMap(\.self) + gateway + wireguard
    }

    private func gate(_ reply: DoctorQuestion.Reply) -> DoctorFinding {
        let place = "\(question.gate)"
        switch reply {
        case .gate: return .well(.gate, "a gate answers at \(place)")
        case .refused:
            return .broken(.gate, "nothing listens at \(place)", mend: "atsgate proxy --listen \(place)")
        case .silent:
            return .broken(
                .gate, "\(place) does not answer: a firewall, or another network, is in between",
                mend: "atsgate doctor --gate 127.0.0.1:\(question.gate.port ?? 9802)")
        case .stranger:
            return .broken(
                .gate, "another program listens at \(place)",
                mend: "lsof -nP -iTCP:\(question.gate.port ?? 9802) -sTCP:LISTEN")
        }
    }

    private func certificateAuthority(_ reply: DoctorQuestion.Reply) -> DoctorFinding {
        guard let authority = question.authority else {
            if case .gate = reply {
                return .broken(
                    .certificateAuthority, "the gate has the CA of another user, HOME or --ca-dir: here there is none",
                    mend: "atsgate doctor --ca-dir FOLDER, where the gate's CA is")
            }
            return .broken(
                .certificateAuthority, "there is no CA yet: a gate makes it when it starts, and so does this command",
                mend: "atsgate ca show")
        }
        guard question.now < authority.notAfter else {
            return .broken(.certificateAuthority, "the CA has expired", mend: "atsgate ca rotate")
        }
        if case .gate(let fingerprint, _) = reply, fingerprint != authority.fingerprint {
            return .broken(
                .certificateAuthority,
                "the gate's CA is \(fingerprint.prefix(16))…, not \(authority.fingerprint.prefix(16))… of "
                    + authority.path,
                mend:
                    "restart the gate: it was started by another user or HOME, with another --ca-dir, or before atsgate ca rotate"
            )
        }
        return .well(.certificateAuthority, "the CA is \(authority.fingerprint.prefix(16))… in \(authority.path)")
    }

    /// What can not be looked for from here: a device that disagrees.
    private var evidence: DoctorFinding {
        .well(
            .evidence,
            "where a device shows another number than the gate, its own log tells: atsgate explain device-evidence")
    }

    private var clock: DoctorFinding? {
        guard let authority = question.authority else { return nil }
        let isEarly = question.now < authority.notBefore
        let isBehind = question.traffic.map { question.now + Self.clockLeeway < $0.last } ?? false
        guard isEarly || isBehind else { return .well(.clock, "the clock agrees with the CA and with the record") }
        let reason = isEarly ? "before the CA was made" : "before the newest load of the record"
        return .broken(.clock, "the clock stands \(reason)", mend: "sudo sntp -sS time.apple.com")
    }

    private func network(_ reply: DoctorQuestion.Reply) -> DoctorFinding? {
        guard question.wantsDevices, case .gate = reply else { return nil }
        let port = question.gate.port ?? 9802
        guard let host = question.hosts.first else {
            return .broken(
                .network, "this machine is in no network that a device could reach it by",
                mend: "networksetup -setairportpower en0 on")
        }
        let place = Text.Authority(host: host, port: port)
        switch question.ask(place) {
        case .gate: return .well(.network, "devices reach it at http://\(place)/")
        case .refused, .stranger:
            return .broken(
                .network, "the gate listens for this machine only, not at \(place)",
                mend: "atsgate proxy --listen 0.0.0.0:\(port) --allow-lan")
        case .silent:
            return .broken(
                .network, "a firewall keeps \(place) shut",
                mend: "sudo /usr/libexec/ApplicationFirewall/socketfilterfw --add $(which atsgate)")
        }
    }

    private var traffic: DoctorFinding {
        guard let traffic = question.traffic, traffic.loads > 0 else {
            return .broken(
                .traffic, "no load has been recorded",
                mend: "curl -x http://\(question.gate) http://atsgate.test/lights.json; then a load of the app's")
        }
        let age = max(0, question.now - traffic.last)
        guard age <= Self.recentSeconds else {
            return .broken(
                .traffic, "the newest load came \(Self.words(age)) ago",
                mend: "open http://atsgate.test/ on the device: its lights say what is missing")
        }
        return .well(.traffic, "the newest load came \(Self.words(age)) ago")
    }

    /// The gate itself is believed; where it does not tell, its loads are.
    private func policy(_ reply: DoctorQuestion.Reply) -> DoctorFinding? {
        guard let wanted = question.policy else { return nil }
        if case .gate(_, let inForce?) = reply {
            guard !isSame(inForce, wanted) else { return .well(.policy, "the gate judges by \(inForce)") }
            return .broken(
                .policy, "the gate judges by \(inForce), not by \(wanted)",
                mend: "atsgate proxy --policy \(wanted.shellWord)")
        }
        guard let found = question.traffic?.policies, !found.isEmpty else {
            return .unknown(.policy, "no gate and no load tells which policy is in force")
        }
        if found.contains(where: { isSame($0, wanted) }) {
            return .well(.policy, "loads were judged by \(wanted)")
        }
        return .broken(
            .policy, "loads were judged by \(found.joined(separator: ", ")), not by \(wanted)",
            mend: "atsgate proxy --policy \(wanted.shellWord)")
    }

    /// Each may be named in its own way, and a bundle's property list stands for the bundle.
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

    /// Older loads say nothing of what arrives now.
    private static let recentSeconds: Int64 = 600
    /// Seconds by which a load may seem to be ahead.
    private static let clockLeeway: Int64 = 60
}
