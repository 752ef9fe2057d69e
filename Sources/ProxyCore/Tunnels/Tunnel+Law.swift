import ATSPolicy
import OriginHandshake
import Records
import TLSEngine
import Text

/// Updates a tunnel by rulings, and by the handshakes of its links.
extension SessionContext {
    /// Rules again on a tunnel whose ruling is of an earlier policy, including its dialed target.
    func renew(_ tunnel: Tunnel) {
        guard !isInForce(tunnel.ruled) else { return }
        tunnel.retarget(under: ruled(on: tunnel.target), dialing: ruled(on: tunnel.dialed.target))
    }

    /// Uses a load's ruling for later loads of its tunnel.
    func follow(_ load: Load, in tunnel: Tunnel?) { tunnel?.retarget(under: load.ruled) }

    /// Rules on a tunnel that carries cleartext HTTP by its http:// URL, as a device would. A denied tunnel is recorded
    /// as such, however it ends, unless its loads have records of their own.
    ///
    /// - Returns: true if the cleartext may continue.
    @discardableResult
    func judgeAsCleartext(_ tunnel: Tunnel) -> Bool {
        let ruled = ruledOnCleartext(of: tunnel)
        tunnel.retarget(under: ruled)
        guard case .denial(let denial) = ruled.ruling else { return true }
        let verdict = RuleBook.standard.judge(denial, profile: ruled.system.profile)
        let isEnforced = loop.policy.rules.mode == .enforce
        tunnel.deny(diagnosis(verdict, of: ruled, path: "/"), isEnforced: isEnforced)
        return !isEnforced
    }

    /// Records that a relay carried content that is denied.
    func deny(_ content: RelayGate.Content, in tunnel: Tunnel) {
        switch content {
        case .cleartext: judgeAsCleartext(tunnel)
        // In witness mode the gate relays each handshake that it cannot read, and the record has the reason already.
        case .handshake where tunnel.passthrough == .witnessed: break
        case .handshake:
            tunnel.deny(RecordedDiagnosis(.unjudgedHandshake), isEnforced: loop.policy.rules.mode == .enforce)
        }
    }

    /// Records a tunnel that carries neither TLS nor HTTP as outside, unless audit mode let denied content pass.
    func markOutside(_ tunnel: Tunnel, after gate: RelayGate) {
        if let content = gate.audited { deny(content, in: tunnel) } else { tunnel.markOutside() }
    }

    /// Reads the server name of a client's hello, which is the host of a client that asked for an address.
    func note(_ hello: ClientHello, for tunnel: Tunnel) {
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

    /// Uses the name in the hello as the host of a client that dialed an address: its URL had the name.
    private func adopt(_ name: String, for tunnel: Tunnel) {
        let ruled = ruled(on: LoadTarget(scheme: .https, host: name, port: tunnel.target.port))
        guard ruled.isPermit else { return }
        let passthrough = passthrough(of: name, ruled.listing(in: loop.policy))
        tunnel.adoptName(ruled, passthrough: passthrough)
    }

    /// Refuses a tunnel because of its origin's handshake.
    ///
    /// - Returns: the diagnosis as the app would see it.
    func refuse(_ tunnel: Tunnel, with origin: MetOrigin, _ failure: LoadFailure) -> RecordedDiagnosis {
        let diagnosis = diagnosis(of: origin, under: tunnel.ruled, path: "/")
        tunnel.note(origin)
        tunnel.refuse(failure, diagnosis)
        return diagnosis
    }

    /// Refuses a tunnel whose origin cannot be reached, after the client received the confirmation.
    ///
    /// - Returns: the diagnosis as the app would see it.
    func refuse(_ tunnel: Tunnel, for failure: NetworkFailure) -> RecordedDiagnosis {
        let diagnosis = diagnosis(failure, of: tunnel.ruled, path: "/")
        tunnel.refuse(.network(failure), diagnosis)
        return diagnosis
    }

    /// Notes that a tunnel's origin was judged. A diagnosis of an origin that is used anyway goes into the record.
    func judged(_ met: MetOrigin, in tunnel: Tunnel) {
        let isAllowedOnly = met.isDoubtful || met.failure != nil
        tunnel.judged(met, diagnosis: isAllowedOnly ? diagnosis(of: met, under: tunnel.ruled, path: "/") : nil)
    }

    /// Notes the origin of one more link for the tunnel's loads.
    func note(_ met: MetOrigin, in tunnel: Tunnel?) { tunnel?.note(met) }

    /// Notes that a link for the tunnel's loads is connected.
    func linkConnected(_ link: OriginLink, in tunnel: Tunnel?) { tunnel?.linkConnected(link) }
}

extension ServerName {
    /// True if the name is a valid host name, or absent.
    var isSound: Bool {
        switch self {
        case .absent: true
        case .name(let name): HostGrammar.isValidHost(name)
        case .unreadable: false
        }
    }
}
