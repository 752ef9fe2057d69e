import ATSPolicy
import HTTPWire
import Records

/// The decision on a request, before any connection is made.
enum Admission {
    case carry
    case refuse(RecordedDiagnosis)
    /// The load cannot be carried on this connection, or it asks for the gate itself and would loop.
    case fail(ErrorAnswer)
}

extension SessionContext {
    /// Rules on a request of any HTTP version.
    ///
    /// - Parameter tunnel: the request's tunnel; later loads in it use the same permit.
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

    /// Notes that a client has accepted its certificate, because it sent a request, valid or not.
    func noteAsking(in tunnel: Tunnel?) {
        guard let tunnel, client.admittedTicks != nil else { return }
        client.admittedTicks = nil
        loop.pinning.accepted(tunnel.target.host, pinningClient(tunnel.agent))
    }

    /// Rules again on a load that has waited, if the policy has changed; otherwise nil.
    func readmit(_ load: Load, in tunnel: Tunnel?) -> Admission? {
        guard !isInForce(load.ruled) else { return nil }
        let (client, ruled) = currentRuling(load)
        load.rule(anew: ruled, from: client)
        return admission(of: load, in: tunnel)
    }

    /// The decision under the load's ruling and the facts learned since.
    func admission(of load: Load, in tunnel: Tunnel?) -> Admission {
        let ruled = load.ruled
        load.diagnosis = nil
        if ruled.isOwn { return .fail(.loop(to: load.target)) }
        if ruled.isPermit, let answer = load.misdirection(in: tunnel, self) { return .fail(answer) }
        let strictest = load.alsoNamed.map { stricter(of: ruled, for: $0) } ?? ruled
        load.attribute(to: strictest)
        if case .denial(let denial) = strictest.ruling {
            let verdict = RuleBook.standard.judge(denial, profile: ruled.system.profile)
            let denied = diagnosis(verdict, of: strictest, path: load.pathText)
            load.diagnosis = denied
            guard loop.policy.rules.mode != .enforce else { return .refuse(denied) }
        }
        follow(load, in: tunnel)
        return .carry
    }

    /// The ruling for a second host that a load names, if only that one is a denial.
    private func stricter(of ruled: TargetRuling, for other: LoadTarget) -> TargetRuling {
        let second = self.ruled(on: other, like: ruled)
        return ruled.isPermit && !second.isPermit ? second : ruled
    }
}
