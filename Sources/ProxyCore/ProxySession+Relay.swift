import ATSPolicy
import Bytes
import Records
import TLSEngine

/// What the bytes of a relay are counted for.
enum Relayed {
    /// A CONNECT tunnel that is none of our business.
    case tunnel(TunnelScope)
    /// A load whose origin agreed to another protocol, WebSocket for one.
    case upgrade(Exchange)
}

/// Bytes passed on as they are: counted, held back where the reader is slow, nothing else. Where TLS ends here, they
/// are opened and sealed again.
extension ProxySession {
    func startRelay(_ relayed: Relayed, on link: OriginLink) {
        stage = .relay(relayed)
        arm(.idle)
        // What either side said before it was clear that we only relay.
        let early = ByteCopy(client.inbox)
        resumeClient()
        early.withBytes { passToOrigin($0, of: relayed) }
        let spoken = ByteCopy(link.plaintext)
        spoken.withBytes { passToClient($0, of: relayed, from: link) }
    }

    func relayFromClient(_ bytes: UnsafeRawBufferPointer, of relayed: Relayed) {
        guard let tls = client.tls else { return passToOrigin(bytes, of: relayed) }
        client.receive(bytes)
        passToOrigin(client.inbox.bytes, of: relayed)
        client.inbox.removeAll()
        switch tls.state {
        case .closed: relayClientEnded()
        case .failed: close()
        case .handshaking, .helloHeld, .established: return
        }
    }

    func relayFromOrigin(_ bytes: UnsafeRawBufferPointer, of relayed: Relayed, on link: OriginLink) {
        guard let tls = link.tls else { return passToClient(bytes, of: relayed, from: link) }
        tls.receive(bytes, plaintext: link.plaintext)
        passToClient(link.plaintext.bytes, of: relayed, from: link)
        link.plaintext.removeAll()
        if tls.state != .established { relayOriginEnded(link, reset: tls.state != .closed) }
    }

    private func passToOrigin(_ bytes: UnsafeRawBufferPointer, of relayed: Relayed) {
        guard let link, !bytes.isEmpty else { return }
        link.send(bytes)
        sentToOrigin(bytes.count, of: relayed, waiting: link.outbox.count)
    }

    private func passToClient(_ bytes: UnsafeRawBufferPointer, of relayed: Relayed, from link: OriginLink) {
        guard !bytes.isEmpty else { return }
        client.send(bytes)
        sentToClient(bytes.count, of: relayed, from: link, waiting: client.outbox.count)
    }

    func sentToOrigin(_ count: Int, of relayed: Relayed, waiting: Int) {
        relayed.count(sent: count)
        arm(.idle)
        if waiting > loop.policy.limits.highWaterBytes { pauseClient() }
    }

    func sentToClient(_ count: Int, of relayed: Relayed, from link: OriginLink, waiting: Int) {
        relayed.count(received: count)
        arm(.idle)
        holdBack(link, waiting: waiting)
    }

    /// Stops reading from an origin while too much waits for the client.
    func holdBack(_ link: OriginLink, waiting: Int) {
        guard waiting > loop.policy.limits.highWaterBytes, !link.isPaused else { return }
        link.isPaused = true
        effect(.pauseOrigin(link))
    }

    func relayOriginEnded(_ link: OriginLink, reset: Bool) {
        if reset || client.hasEnded { return close() }
        guard !link.hasEnded else { return }
        link.hasEnded = true
        client.tls?.sendClose()
        effect(.finishClientWriting)
    }

    func relayClientEnded() {
        guard let link, !link.hasEnded else { return close() }
        client.hasEnded = true
        link.tls?.sendClose()
        effect(.finishOriginWriting(link))
    }
}

extension Relayed {
    fileprivate func count(sent: Int = 0, received: Int = 0) {
        switch self {
        case .tunnel(let scope):
            scope.bytesSent += Int64(sent)
            scope.bytesReceived += Int64(received)
        case .upgrade(let exchange):
            exchange.bytesSent += Int64(sent)
            exchange.bytesReceived += Int64(received)
        }
    }
}
