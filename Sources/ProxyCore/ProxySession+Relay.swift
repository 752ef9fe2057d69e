import ATSPolicy
import Bytes
import Records

/// Tunnels whose bytes are none of our business: counted, held back where the reader is slow, nothing else.
extension ProxySession {
    func startRelay(on link: OriginLink) {
        stage = .relay
        arm(.idle)
        // What either side said before it was clear that we only relay.
        let early = ByteCopy(client.inbox)
        resumeClient()
        early.withBytes { relayFromClient($0) }
        let spoken = ByteCopy(link.plaintext)
        spoken.withBytes { relayFromOrigin($0, on: link) }
    }

    func relayFromClient(_ bytes: UnsafeRawBufferPointer) {
        guard let link, let scope, !bytes.isEmpty else { return }
        scope.bytesSent += Int64(bytes.count)
        link.outbox.append(bytes)
        arm(.idle)
        if link.outbox.count > desk.law.limits.highWaterBytes { pauseClient() }
    }

    func relayFromOrigin(_ bytes: UnsafeRawBufferPointer, on link: OriginLink) {
        guard let scope, !bytes.isEmpty else { return }
        scope.bytesReceived += Int64(bytes.count)
        client.outbox.append(bytes)
        arm(.idle)
        if client.outbox.count > desk.law.limits.highWaterBytes, !link.isPaused {
            link.isPaused = true
            effect(.pauseOrigin(link))
        }
    }

    func relayOriginEnded(_ link: OriginLink, reset: Bool) {
        if reset || client.hasEnded { return close() }
        link.hasEnded = true
        effect(.finishClientWriting)
    }

    func relayClientEnded() {
        client.hasEnded = true
        guard let link, !link.hasEnded else { return close() }
        effect(.finishOriginWriting(link))
    }
}
