import ATSPolicy
import HTTPWire
import OriginHandshake
import Records
import Text

/// Requests for another host than their tunnel's: that host is ruled on as well.
extension Tunnel {
    /// Notes a second host that a load names, and the finding for its record.
    func noteHosts(of load: Load) {
        load.remark = loadRemark
        guard let other = noteHost(of: load.head) else { return }
        load.alsoNamed = other
        let named = RecordedDiagnosis(.otherHost(other.host, inTunnelTo: target.host))
        load.remark = loadRemark?.adding(named) ?? named
    }
}

extension SessionContext {
    /// Judges a link for the other hosts that an https load names.
    ///
    /// - Returns: the error response if the link does not satisfy their rules; the client may retry in a tunnel to that
    ///   host, where it is judged. nil if it does, and in audit mode, which adds the diagnosis to the load. Source: RFC
    ///   9110 sections 7.4 and 15.5.20.
    func judgeOtherHosts(of load: Load, on link: OriginLink, in tunnel: Tunnel?) -> ErrorAnswer? {
        guard load.target.scheme == .https else { return nil }
        load.misdirection = nil
        return judge(tunnel?.alsoNamed, of: load, on: link) ?? judge(load.alsoNamed, of: load, on: link)
    }

    private func judge(_ other: LoadTarget?, of load: Load, on link: OriginLink) -> ErrorAnswer? {
        guard let other else { return nil }
        let ruled = ruled(on: other, like: load.ruled)
        guard let facts = link.origin.facts else {
            return misdirected(load, ruled, for: "its certificate is not known")
        }
        let verdict = question(by: ruled).verdict(on: facts, now: now.unixSeconds).law
        guard verdict.failure != nil else { return nil }
        guard loop.policy.rules.mode != .enforce else {
            return misdirected(load, ruled, for: verdict.findings.first?.observed ?? "")
        }
        load.misdirection = diagnosis(verdict, of: ruled, path: load.pathText, facts: facts)
        load.attribute(to: ruled)
        return nil
    }

    /// Makes the refused host the subject of the load's record.
    ///
    /// - Returns: the diagnosis as the app would see it.
    func attribute(_ origin: RefusedOrigin, of load: Load) -> RecordedDiagnosis {
        let meant = ruled(on: origin.target, like: load.ruled)
        if origin.target != load.target { load.attribute(to: meant) }
        return diagnosis(origin.verdict, of: meant, path: load.pathText, facts: origin.facts)
    }

    /// The question for judging facts of a handshake that has already happened.
    func question(by ruled: TargetRuling, _ secondPermit: ConnectPermit? = nil) -> OriginQuestion {
        var question = OriginQuestion(
            permit: ruled.permit, serverName: ruled.target.host, alpn: [], profile: ruled.system.profile,
            trust: loop.policy.trust, appTrust: appTrust(under: ruled))
        question.secondPermit = secondPermit
        return question
    }

    private func misdirected(_ load: Load, _ ruled: TargetRuling, for reason: String) -> ErrorAnswer {
        let finding = Finding.misdirected(to: ruled.target.host, inTunnelTo: load.target.host, for: reason)
        load.attribute(to: ruled)
        return ErrorAnswer(421, "Wrong connection for this host", finding)
    }
}

extension Finding {
    fileprivate static func otherHost(_ name: String, inTunnelTo host: String) -> Finding {
        seen(
            .clientServerName, "Different host in the request",
            expected: "the host that the tunnel was opened to, \(host)",
            observed: "The request is for \(name): the ATS rules of both hosts must allow it.",
            source: "RFC 9110 7.2")
    }

    fileprivate static func misdirected(to name: String, inTunnelTo host: String, for reason: String) -> Finding {
        seen(
            .clientServerName, "Connection not valid for this host",
            expected: "\(host), or a host whose ATS rules the same server satisfies",
            observed: "The request is for \(name), but the server of \(host) does not satisfy its ATS rules: \(reason)",
            source: "RFC 9110 15.5.20")
    }
}
