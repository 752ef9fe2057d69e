import HTTPWire

/// Ways around the gate that an answer offers.
extension ProxySession {
    /// The head without alternatives in HTTP/3, which a client would use past the gate; the record tells of them.
    func withoutHTTP3(_ head: ResponseHead, of exchange: Exchange) -> ResponseHead {
        if loop.policy.keepsAltSvc { return head }
        var head = head
        for name in head.removeHTTP3Alternatives() where !exchange.removed.contains("alt-svc \(name)") {
            exchange.removed.append("alt-svc \(name)")
        }
        return head
    }
}
