import ATSPolicy
import OriginHandshake
import Records
import TLSEngine
import Text

/// What the law's answers change in a tunnel, and what its links show of its origin.
extension SessionContext {
    /// A tunnel that was ruled under another law is ruled anew, and so is the way to its origin.
    func renew(_ tunnel: Tunnel) {
        guard !isInForce(tunnel.ruled) else { return }
        tunnel.lead(under: ruled(on: tunnel.target), dialing: ruled(on: tunnel.dialed.target))
    }

    /// Later loads of a tunnel go under the permit of this one.
    func follow(_ load: Load, in tunnel: Tunnel?) { tunnel?.lead(under: load.ruled) }

    /// Of several hosts that a client named in a tunnel, the one that is refused is what the record is about.
    func blame(_ target: LoadTarget, in tunnel: Tunnel) {
        if target != tunnel.target { tunnel.lead(under: ruled(on: target, like: tunnel.ruled)) }
    }

    /// A tunnel carries HTTP in the clear: a device would have judged its http:// URL. Where it is denied the tunnel is
    /// recorded as that, unless loads in it have records of their own, whatever becomes of it.
    ///
    /// - Returns: whether that may go on.
    @discardableResult
    func leadToCleartext(_ tunnel: Tunnel) -> Bool {
        let ruled = ruledOnCleartext(of: tunnel)
        tunnel.lead(under: ruled)
        guard case .denial(let denial) = ruled.ruling else { return true }
        let verdict = RuleBook.standard.judge(denial, profile: ruled.system.profile)
        let isEnforced = loop.policy.rules.mode == .enforce
        tunnel.deny(diagnosis(verdict, of: ruled, path: "/"), isEnforced: isEnforced)
        return !isEnforced
    }

    /// Neither TLS nor HTTP: the tunnel is none of our business, as long as no HTTP was in it that is denied.
    ///
    /// - Parameter answerIsDenied: its origin has begun with an answer of HTTP, and that is denied.
    func leaveOutside(_ tunnel: Tunnel, answerIsDenied: Bool) {
        if answerIsDenied { leadToCleartext(tunnel) } else { tunnel.leaveOutside() }
    }

    /// The hello of a tunnel's client is whole: its name is what the client asks for, too, or instead of an address.
    func take(_ hello: ClientHello, for tunnel: Tunnel) {
        if !hello.serverName.isSound {
            tunnel.add(RecordedDiagnosis(.malformedServerName))
        } else if let name = hello.serverName.text, tunnel.target.address != nil, IPAddress(host: name) == nil {
            adopt(name, for: tunnel)
        }
        tunnel.heard(hello)
        if tunnel.passthrough == .pinned {
            tunnel.add(RecordedDiagnosis(.passedThrough(tunnel.target.host, declared: tunnel.declaredPins(by: system))))
        }
    }

    /// A client that dialed an address but names its host in the hello asks for that host: its URL had the name.
    private func adopt(_ name: String, for tunnel: Tunnel) {
        let ruled = ruled(on: LoadTarget(scheme: .https, host: name, port: tunnel.target.port))
        guard ruled.isPermit else { return }
        let passthrough = passthrough(of: name, ruled.listing(in: loop.policy))
        tunnel.take(name: ruled, passthrough: passthrough, doubt: doubt(of: name))
    }

    /// The origin of a tunnel is refused.
    ///
    /// - Returns: what that means to the app.
    func refuse(_ tunnel: Tunnel, with origin: RefusedOrigin) -> RecordedDiagnosis {
        blame(origin.target, in: tunnel)
        let diagnosis = diagnosis(origin.verdict, of: tunnel.ruled, path: "/", facts: origin.facts)
        tunnel.judged(origin.recorded, remark: nil, handshakeTicks: origin.handshakeTicks, diagnosis: nil)
        tunnel.refuse(origin.failure, diagnosis)
        return diagnosis
    }

    /// The origin of a tunnel is not reached, though its client has been told that the tunnel stands.
    ///
    /// - Returns: what that means to the app.
    func refuse(_ tunnel: Tunnel, for failure: NetworkFailure) -> RecordedDiagnosis {
        let diagnosis = diagnosis(failure, of: tunnel.ruled, path: "/")
        tunnel.refuse(.network(failure), diagnosis)
        return diagnosis
    }

    /// What a handshake of our own showed of an origin that the tunnel's client meets itself.
    func take(_ judged: PassthroughJudgement.Judged, for tunnel: Tunnel) {
        switch judged.verdict {
        case .passed(let remark):
            tunnel.judged(judged.origin, remark: remark, handshakeTicks: judged.handshakeTicks, diagnosis: nil)
        case .refused(_, let diagnosis, let target):
            blame(target, in: tunnel)
            tunnel.judged(judged.origin, remark: nil, handshakeTicks: judged.handshakeTicks, diagnosis: diagnosis)
        }
    }

    /// A link is there that a tunnel's loads may go on.
    func met(_ link: OriginLink, in tunnel: Tunnel?) { tunnel?.met(link) }

    /// A link's handshake has shown a tunnel's origin, and nothing stands against it.
    func judged(_ link: OriginLink, in tunnel: Tunnel?) { tunnel?.judged(by: link) }

    /// A tunnel's origin broke a handshake that offered a session.
    func noteStumble(in tunnel: Tunnel?) { tunnel?.stumbled() }
}

extension ServerName {
    /// A host may have that name, or none is asked for.
    var isSound: Bool {
        switch self {
        case .absent: true
        case .name(let name): HostGrammar.isValidHost(name)
        case .unreadable: false
        }
    }
}
