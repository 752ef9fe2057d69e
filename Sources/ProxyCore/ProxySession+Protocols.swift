import TLSEngine

/// Which protocol is spoken on either side: the origin chooses, among those that the client can speak.
extension ProxySession {
    /// What a handshake with the origin offers: what the client offered, in its order, as far as we speak it. Once the
    /// client has settled for HTTP/1.1, no more than that; beside HTTP/2 alone, what that can be translated to, because
    /// a server may break off where it finds nothing of its own (RFC 7301 section 3.2; nginx from 1.21.4 on does).
    var protocolsForOrigin: [String] {
        guard let tls = client.tls else { return [] }
        let isSettled = tls.state == .established && tls.negotiatedALPN != Self.http2
        if speaksOnlyHTTP2, !isSettled { return [Self.http2, Self.http1] }
        return clientProtocols.filter { !isSettled || $0 != Self.http2 }
    }

    /// What the client is told: what the origin chose, or HTTP/2 where nothing else would do.
    var protocolForClient: String? {
        speaksOnlyHTTP2 ? Self.http2 : link?.tls?.negotiatedALPN
    }

    private var speaksOnlyHTTP2: Bool { clientProtocols == [Self.http2] }

    private var clientProtocols: [String] {
        (client.tls?.clientHello?.alpn ?? []).filter { $0 == Self.http2 || $0 == Self.http1 }
    }

    /// Whether a link from the pool speaks what its origin would have chosen for this client.
    func suitsClient(_ link: OriginLink) -> Bool {
        let wanted = protocolsForOrigin
        if link.http2 != nil { return wanted.contains(Self.http2) }
        return link.offered.contains(Self.http2) || !wanted.contains(Self.http2)
    }

    /// Source: RFC 9113 section 3.1.
    static let http2 = "h2"
    /// Source: RFC 7301 section 6.
    private static let http1 = "http/1.1"
}
