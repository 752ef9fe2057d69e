import ATSPolicy
import HTTPWire
import Text

/// What a request asks for: a target, or nothing that can be had here.
enum RequestedTarget {
    case target(LoadTarget)
    case nothing(GatePage)

    /// - Parameter tunnel: where the request came through. It says which origin; the path is all that the head adds.
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
            // `ws` is `http` to the law, and on the wire until the origin agrees (RFC 6455 section 4.1).
            guard absolute.scheme == "http" || absolute.scheme == "ws" else {
                self = .nothing(
                    Self.page(
                        head, "Not a scheme of this proxy",
                        ["Only http:// URLs are asked for in full; https goes through CONNECT."]))
                return
            }
            self = .target(LoadTarget(scheme: .http, host: absolute.host, port: absolute.port ?? 80))
        case .path, .asterisk, .authority:
            self = .nothing(
                Self.page(
                    head, "This is a proxy",
                    [
                        "atsgate is an HTTP proxy, and this request came as if to a web server.",
                        "Enter this address as the HTTP and HTTPS proxy of a device, a simulator or a command.",
                    ]))
        }
    }

    /// Source: RFC 9110 section 7.6.2.
    private static func lastHop(_ head: RequestHead) -> GatePage {
        GatePage(
            status: 200, title: "This is atsgate",
            sentences: ["Max-Forwards is 0, so the gate answers itself; nothing was asked of the origin."],
            wantsJSON: head.wantsJSON)
    }

    static func tunnelInTunnel(_ head: RequestHead) -> GatePage {
        page(head, "A tunnel in a tunnel", ["CONNECT stops at the first proxy."])
    }

    private static func page(_ head: RequestHead, _ title: String, _ sentences: [String]) -> GatePage {
        GatePage(status: 400, title: title, sentences: sentences, wantsJSON: head.wantsJSON)
    }
}

extension Tunnel {
    /// What a request in it asks for: where its client was redirected and speaks in the clear the host that the request
    /// names, at the port that was wanted; else what the tunnel is for. Source: RFC 9112 sections 3.2.2 and 3.3.
    func target(askedBy head: RequestHead) -> LoadTarget {
        guard isTransparent, target.scheme == .http else { return target }
        return LoadTarget(scheme: .http, host: head.namedHost ?? dialed.target.host, port: dialed.target.port)
    }
}

extension RequestHead {
    /// The host of its absolute target, or of its Host; nil where neither is one.
    var namedHost: String? {
        if case .absolute(let absolute) = target { return absolute.host }
        guard let text = fields.value(of: .host), let authority = try? Authority(text[...]) else { return nil }
        return authority.host
    }
}
