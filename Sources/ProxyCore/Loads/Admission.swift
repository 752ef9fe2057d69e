import ATSPolicy
import HTTPWire
import Records

/// What becomes of a request, before anything is dialed.
enum Admission {
    case carry
    case refuse(RecordedDiagnosis)
    /// It asks for the gate itself: dialing that would go round in circles.
    case loop
}

extension SessionContext {
    /// Rules on a request, once: the same for every version of HTTP.
    ///
    /// - Parameter tunnel: what it came through; later loads of the tunnel go under the same permit.
    func admit(
        _ head: RequestHead, to target: LoadTarget, in tunnel: Tunnel?,
        as wireProtocol: RecordedRequest.WireProtocol = .http1
    ) -> (load: Load, admission: Admission) {
        noteAsking(in: tunnel)
        let ruled = ruled(on: target)
        let load = Load(
            head: head, ruled: ruled, client: recordedClient, started: now,
            redirectedFrom: ruled.isOwn ? nil : origin(ofRedirectTo: target, path: head.pathText, at: now.ticks),
            wireProtocol: wireProtocol)
        tunnel?.noteHosts(of: load)
        load.noteAddress(in: tunnel, self)
        return (load, admission(of: load, in: tunnel))
    }

    /// A client that asks for anything, well or badly, has taken the certificate that it was shown.
    func noteAsking(in tunnel: Tunnel?) {
        guard let tunnel, client.admittedTicks != nil else { return }
        client.admittedTicks = nil
        loop.pinning.took(tunnel.target.host, pinningClient(tunnel.agent))
    }

    /// Rules anew on a load that has waited, where another law came into force meanwhile; nil where none did.
    func readmit(_ load: Load, in tunnel: Tunnel?) -> Admission? {
        guard !isInForce(load.ruled) else { return nil }
        let (client, ruled) = ruledAnew(load)
        load.rule(anew: ruled, from: client)
        return admission(of: load, in: tunnel)
    }

    /// Under the law that its load was ruled by, or what came to be known of the load since.
    func admission(of load: Load, in tunnel: Tunnel?) -> Admission {
        let ruled = load.ruled
        load.diagnosis = nil
        if ruled.isOwn { return .loop }
        let strictest = load.alsoNamed.map { stricter(of: ruled, for: $0) } ?? ruled
        load.blame(strictest)
        if case .denial(let denial) = strictest.ruling {
            let verdict = RuleBook.standard.judge(denial, profile: ruled.system.profile)
            let denied = diagnosis(verdict, of: strictest, path: load.pathText)
            load.diagnosis = denied
            guard loop.policy.rules.mode != .enforce else { return .refuse(denied) }
        }
        follow(load, in: tunnel)
        return .carry
    }

    /// The answer for another host that a load names in its tunnel, where only that is a denial.
    private func stricter(of ruled: TargetRuling, for other: LoadTarget) -> TargetRuling {
        let second = self.ruled(on: other, like: ruled)
        return ruled.isPermit && !second.isPermit ? second : ruled
    }
}
