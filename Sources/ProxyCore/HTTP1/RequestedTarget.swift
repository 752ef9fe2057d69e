import ATSPolicy
import HTTPWire
import Text

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
