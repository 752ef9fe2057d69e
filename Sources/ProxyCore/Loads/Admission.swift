import ATSPolicy
import HTTPWire
import OriginHandshake
import Records
import Text

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
            head: head, ruled: ruled, client: recordedClient(under: ruled), started: now,
            redirectedFrom: ruled.isOwn ? nil : origin(ofRedirectTo: target, path: head.pathText, at: now.ticks),
            wireProtocol: wireProtocol)
        load.remark = ruled.doubt?.adding(helloDoubt) ?? helloDoubt
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
        let isEnforced = loop.policy.rules.mode == .enforce
        load.misdirection = misdirection(of: load, in: tunnel)
        // A denied tunnel stays denied, even if its request names another host.
        if isEnforced, ruled.isPermit || tunnel?.isNamedByRequests == true, let misdirection = load.misdirection {
            return .fail(ErrorAnswer(421, "Wrong connection for this host", misdirection))
        }
        load.diagnosis = load.misdirection
        if case .denial(let denial) = ruled.ruling {
            let verdict = RuleBook.standard.judge(denial, profile: ruled.system.profile)
            let denied = diagnosis(verdict, of: ruled, path: load.pathText)
            load.diagnosis = denied.adding(load.misdirection)
            if isEnforced { return .refuse(denied) }
        }
        tunnel?.follow(load)
        return .carry
    }

    /// The finding about a request that its connection cannot carry: a tunnel has one host, and a redirected connection has
    /// one address. The client may ask again on a separate connection. Source: RFC 9110 sections 7.4 and 15.5.20.
    private func misdirection(of load: Load, in tunnel: Tunnel?) -> RecordedDiagnosis? {
        guard let tunnel else { return nil }
        guard tunnel.isNamedByRequests else {
            let finding =
                tunnel.otherHost(in: load.head).map { Finding.misdirected(to: $0, inTunnelTo: tunnel.target.host) }
                ?? tunnel.hello.flatMap { tunnel.otherServerName(in: $0) }
            return finding.map { RecordedDiagnosis($0) }
        }
        let address = tunnel.dialed.target.address
        switch address.map({ RedirectedName(load.target.host, at: $0) }) {
        case .trusted?, nil: return nil
        case .local? where load.ruled.place != nil: return nil
        case .local?, .otherAddress?:
            return RecordedDiagnosis(.otherAddress(tunnel.dialed.target.host, than: load.target.host))
        }
    }

    /// Starts a load on a link: its record has the link's findings, and the first one the time of connecting.
    func begin(_ load: Load, on link: OriginLink) {
        load.isFirstOnLink = link.countLoad()
        guard link.isSecured else { return }
        let doubt = link.met.isDoubtful ? diagnosis(of: link.met, under: load.ruled, path: load.pathText) : nil
        load.diagnosis = doubt?.adding(load.misdirection) ?? load.misdirection
    }
}

extension Finding {
    fileprivate static func misdirected(to name: String, inTunnelTo host: String) -> Finding {
        seen(
            .clientServerName, "Connection not valid for this host",
            expected: "the host that the tunnel was opened to, \(host)",
            observed: "The request is for \(name), but its tunnel is to \(host).", source: "RFC 9110 15.5.20")
    }
}

/// The target of a request, or the response to a request without one.
enum RequestedTarget {
    case target(LoadTarget)
    case nothing(GatePage)

    /// - Parameter tunnel: the request's tunnel, which determines the target; the head adds only the path.
    init(_ head: RequestHead, in tunnel: Tunnel?) {
        if head.hasNoForwardsLeft {
            self = .nothing(Self.lastHop(head))
            return
        }
        if let tunnel {
            guard case .authority = head.target else {
                self = .target(tunnel.target(askedBy: head))
                return
            }
            self = .nothing(Self.tunnelInTunnel(head))
            return
        }
        switch head.target {
        case .absolute(let absolute):
            // `ws` counts as `http` in the rules, and on the wire until the origin agrees (RFC 6455 section 4.1).
            guard absolute.scheme == "http" || absolute.scheme == "ws" else {
                self = .nothing(
                    Self.page(
                        head, "Unsupported URL scheme",
                        ["The proxy accepts full URLs only with http://. For https, use CONNECT."]))
                return
            }
            self = .target(LoadTarget(scheme: .http, host: absolute.host, port: absolute.port ?? 80))
        case .path, .asterisk, .authority:
            self = .nothing(
                Self.page(
                    head, "This is a proxy",
                    [
                        "atsgate is an HTTP proxy, but this request was sent as if to a web server.",
                        "Set this address as the HTTP and HTTPS proxy of a device, a simulator or a command.",
                    ]))
        }
    }

    /// Source: RFC 9110 section 7.6.2.
    private static func lastHop(_ head: RequestHead) -> GatePage {
        GatePage(
            status: 200, title: "This is atsgate",
            sentences: ["Max-Forwards is 0, so the gate answers itself. The request was not forwarded."],
            wantsJSON: head.wantsJSON)
    }

    static func tunnelInTunnel(_ head: RequestHead) -> GatePage {
        page(head, "A tunnel in a tunnel", ["CONNECT is not supported inside a tunnel."])
    }

    private static func page(_ head: RequestHead, _ title: String, _ sentences: [String]) -> GatePage {
        GatePage(status: 400, title: title, sentences: sentences, wantsJSON: head.wantsJSON)
    }
}

extension Tunnel {
    /// True if each request names its host: cleartext of a client that asked for an address, or was redirected from one.
    var isNamedByRequests: Bool { target.scheme == .http && dialed.target.address != nil }

    /// The address that a proxy's client asked for, if its requests name their hosts: all of them go there.
    var addressToDial: ConnectPermit? { isNamedByRequests && !isTransparent ? dialed : nil }

    /// The target of a request in the tunnel: the tunnel's own, or the host that the request names, at the port that was
    /// asked for. Source: RFC 9112 sections 3.2.2 and 3.3.
    func target(askedBy head: RequestHead) -> LoadTarget {
        guard isNamedByRequests else { return target }
        return LoadTarget(scheme: .http, host: head.namedHost ?? dialed.target.host, port: dialed.target.port)
    }
}

extension RequestHead {
    /// The host of its absolute target, or of its Host field; nil if neither names one.
    var namedHost: String? {
        if case .absolute(let absolute) = target { return absolute.host }
        guard let text = fields.value(of: .host), let authority = try? Authority(text[...]) else { return nil }
        return authority.host
    }
}
