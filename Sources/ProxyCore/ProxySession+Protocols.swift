import TLSEngine

/// Which protocol is spoken on either side: the origin chooses, among those that the client can speak.
extension ProxySession {
    /// What a handshake with the origin offers: what the client offered, in its order, as far as we speak it. Once the
    /// client has settled for HTTP/1.1, no more than that.
    var protocolsForOrigin: [String] {
        guard let tls = client.tls else { return [] }
        let known = (tls.clientHello?.alpn ?? []).filter { $0 == Self.http2 || $0 == "http/1.1" }
        let isSettled = tls.state == .established && tls.negotiatedALPN != Self.http2
        return isSettled ? known.filter { $0 != Self.http2 } : known
    }

    /// What a client is told whose origin answered with no protocol: one that only speaks HTTP/2 is translated for.
    var protocolWithoutAnswer: String? {
        protocolsForOrigin == [Self.http2] ? Self.http2 : nil
    }

    /// Whether a link from the pool speaks what its origin would have chosen for this client.
    func suitsClient(_ link: OriginLink) -> Bool {
        let wanted = protocolsForOrigin
        if link.http2 != nil { return wanted.contains(Self.http2) }
        return link.offered.contains(Self.http2) || !wanted.contains(Self.http2)
    }

    /// Source: RFC 9113 section 3.1.
    static let http2 = "h2"
}
