import ATSPolicy
import HTTPWire
import Records

/// What becomes of a request, before anything is dialed.
enum Admission {
    case carry(ConnectPermit)
    case refuse(DiagnosisCard)
    /// It asks for the gate itself: dialing that would go round in circles.
    case loop
}

extension SessionContext {
    /// Rules on a request, once: the same for every version of HTTP.
    ///
    /// - Parameter tunnel: what it came through; later loads of the tunnel go under the same permit.
    func admit(
        _ head: RequestHead, to target: LoadTarget, in tunnel: Tunnel?,
        as wireProtocol: LoadCard.WireProtocol = .http1
    ) -> (load: Load, admission: Admission) {
        if let tunnel, tunnel.admittedTicks != nil {
            tunnel.admittedTicks = nil
            loop.pinning.took(tunnel.target.host, tunnel.pinningClient)
        }
        let ruled = ruled(on: target)
        var permit: ConnectPermit?
        var diagnosis = tunnel?.diagnosis
        let admission: Admission
        switch ruled.ruling {
        case _ where ruled.isOwn:
            diagnosis = nil
            admission = .loop
        case .permit(let given):
            permit = given
            admission = .carry(given)
        case .denial(let denial):
            let denied = self.diagnosis(
                RuleBook.standard.judge(denial, profile: system.profile), target: target, path: head.pathText)
            diagnosis = denied
            if loop.policy.mode == .audit {
                let given = system.judge.setAside(denial)
                permit = given
                admission = .carry(given)
            } else {
                admission = .refuse(denied)
            }
        }
        if let permit { tunnel?.lead(to: target, under: permit, policy: ruled.policy) }
        let load = Load(
            head: head, target: target, client: clientCard, permit: permit, policy: ruled.policy, diagnosis: diagnosis,
            started: now,
            redirectedFrom: ruled.isOwn ? nil : origin(ofRedirectTo: target, path: head.pathText, at: now.ticks),
            wireProtocol: wireProtocol)
        return (load, admission)
    }
}
