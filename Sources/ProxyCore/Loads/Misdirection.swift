import ATSPolicy
import HTTPWire
import OriginHandshake
import Records
import Text

/// Requests that ask for another host than their tunnel was opened to: the law is asked about that host as well.
extension Tunnel {
    /// Which hosts a load names beside the tunnel's own, and what its record tells of that.
    func noteHosts(of load: Load) {
        load.remark = loadRemark
        guard let other = noteHost(of: load.head) else { return }
        load.alsoNamed = other
        let named = RecordedDiagnosis(.otherHost(other.host, inTunnelTo: target.host))
        load.remark = loadRemark?.adding(named) ?? named
    }
}

extension SessionContext {
    /// Judges a link for the other hosts that an https load asks for.
    ///
    /// - Returns: what the load is answered where the link does not do for them: the client may ask again in a tunnel of
    ///   that host's own, where it is judged. nil where it does, and in audit mode, where the load takes note of it.
    ///   Source: RFC 9110 sections 7.4 and 15.5.20.
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
        load.blame(ruled)
        return nil
    }

    /// A load is refused with its origin: its record is about the host that is refused.
    ///
    /// - Returns: what that means to the app.
    func blame(_ origin: RefusedOrigin, for load: Load) -> RecordedDiagnosis {
        let meant = ruled(on: origin.target, like: load.ruled)
        if origin.target != load.target { load.blame(meant) }
        return diagnosis(origin.verdict, of: meant, path: load.pathText, facts: origin.facts)
    }

    /// The law as a question that has been answered already: for facts that were seen somewhere else.
    func question(by ruled: TargetRuling, _ also: ConnectPermit? = nil) -> OriginQuestion {
        var question = OriginQuestion(
            permit: ruled.permit, serverName: ruled.target.host, alpn: [], profile: ruled.system.profile,
            trust: loop.policy.trust, appTrust: appTrust(under: ruled))
        question.also = also
        return question
    }

    private func misdirected(_ load: Load, _ ruled: TargetRuling, for reason: String) -> ErrorAnswer {
        let finding = Finding.misdirected(to: ruled.target.host, inTunnelTo: load.target.host, for: reason)
        load.blame(ruled)
        return ErrorAnswer(421, "Not on this connection", finding)
    }
}

extension Finding {
    fileprivate static func otherHost(_ name: String, inTunnelTo host: String) -> Finding {
        seen(
            .clientServerName, "Another host in the request",
            expected: "the host that the tunnel was opened to, \(host)",
            observed: "The request asks for \(name): both have to be permitted, by the law of each.",
            source: "RFC 9110 7.2")
    }

    fileprivate static func misdirected(to name: String, inTunnelTo host: String, for reason: String) -> Finding {
        seen(
            .clientServerName, "Host that the connection is not for",
            expected: "\(host), or a host for which the connection's origin would pass, too",
            observed: "The request asks for \(name), but the origin of \(host) does not do for that: \(reason)",
            source: "RFC 9110 15.5.20")
    }
}
