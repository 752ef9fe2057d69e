import ATSPolicy
import Bytes
import HTTPWire
import Records

/// Loads that a parent proxy carries without a tunnel.
extension ProxySession {
    /// Writes a request's head in the form that the link's far end reads. Source: RFC 9112 section 3.2.2.
    func writeHead(of exchange: Exchange, on link: OriginLink, to queue: ByteQueue) {
        guard case .parent(_, let authorization) = link.route else {
            return MessageWriter.request(
                exchange.head, asOriginForm: true, via: Self.via, to: queue, keepUpgrade: exchange.upgrade != nil)
        }
        var head = exchange.head
        head.target = exchange.wholeTarget
        MessageWriter.request(
            head, asOriginForm: false, via: Self.via, to: queue, keepUpgrade: exchange.upgrade != nil,
            proxyAuthorization: authorization)
    }

    /// The client has asked for a tunnel: whatever it says inside, a parent is asked for a tunnel, too.
    public var isInTunnel: Bool { scope != nil }

    /// Whether an answer is a parent proxy's own: it wants other credentials than those it was given. Only 407 is told
    /// apart with certainty (RFC 9110 section 15.5.8); anything else may be the origin's.
    func isRefusedByParent(_ exchange: Exchange, _ head: ResponseHead, on link: OriginLink) -> Bool {
        guard head.status == 407, case .parent(let name, _) = link.route else { return false }
        let verdict = RuleBook.standard.judge(.parent(name, .answered(status: 407)), target: exchange.target)
        link.mayKeep = false
        fail(
            exchange, status: 502, title: "The parent proxy refused",
            diagnosis: diagnosis(verdict, target: exchange.target, path: exchange.pathText))
        return true
    }
}

extension Exchange {
    /// What is asked for as a whole URL, whatever form the client used.
    fileprivate var wholeTarget: RequestTarget {
        if case .absolute = head.target { return head.target }
        let port = target.port == target.scheme.defaultPort ? nil : target.port
        return .absolute(
            AbsoluteTarget(scheme: target.scheme.rawValue, host: target.host, port: port, path: pathText))
    }
}
