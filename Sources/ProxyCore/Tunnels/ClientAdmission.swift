import ATSPolicy
import Records
import TLSEngine

/// Finishes the client's handshake with a leaf of the gate's CA, because the origin passed or audit mode allowed it.
final class ClientAdmission: SessionMachine {
    let context: SessionContext
    private let inside: Tunnel
    /// nil if the origin has closed its connection; a load then gets another link.
    private var link: OriginLink?

    init(_ context: SessionContext, in tunnel: Tunnel, over link: OriginLink) {
        self.context = context
        inside = tunnel
        self.link = link
    }

    var tunnel: Tunnel? { inside }
    private var client: ClientStream { context.client }

    func begin() -> Transition {
        guard let tls = client.tls, tls.state == .helloHeld else { return .close(.client(.left)) }
        let host = inside.target.host
        do throws(CertificateError) {
            let leaf = try context.loop.mint.leaf(for: host, now: context.now.unixSeconds)
            tls.finish(leaf: leaf, alpn: client.protocolToAnswer(for: link))
        } catch {
            return .close(.gate(.fault(.leaf(host: host, error))))
        }
        context.arm(.handshake)
        return handshakeMoved()
    }

    func clientSent(_ bytes: UnsafeRawBufferPointer) -> Transition {
        client.receive(bytes)
        return handshakeMoved()
    }

    private func handshakeMoved() -> Transition {
        switch client.tls?.state {
        case .closed, .established:
            // A close_notify may follow the handshake immediately, with requests before it.
            if client.tls?.state == .closed { client.hasEnded = true }
            let link = link
            self.link = nil
            client.admittedTicks = context.now.ticks
            if client.speaksHTTP2 { return Multiplexer.become(context, in: inside, over: link) }
            return .become(HTTP1Client(context, in: inside, over: link))
        case .handshaking: return .stay
        case .helloHeld, .failed, nil: return clientLost()
        }
    }

    /// Handles a client that leaves, or whose TLS broke, before any load: it did not accept the leaf.
    func clientLost() -> Transition { LoadRecorder(context: context, tunnel: inside).leafRejected() }

    func originSent(_ bytes: UnsafeRawBufferPointer, on link: OriginLink) -> Transition {
        // Session tickets are allowed on a link that is up.
        if link === self.link, !link.staysFit(after: bytes) { drop() }
        return .stay
    }

    func originEnded(_ link: OriginLink, reset: Bool) -> Transition {
        if link === self.link { drop() }
        return .stay
    }

    private func drop() {
        if let link { context.drop(link) }
        link = nil
    }

    /// True, because only the client's handshake is missing.
    var onlyWaits: Bool { true }

    func end(_ reason: EndReason) {
        LoadRecorder(context: context, tunnel: inside).fileTunnel(ended: reason)
        drop()
    }
}
