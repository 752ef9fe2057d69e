import Bytes
import HTTPWire

/// Bytes that nothing here has to look at: the server room moves them from socket to socket and says how many.
///
/// There is no TLS of ours on either side, and nothing of what came before still waits to be read.
extension ProxySession {
    /// Where the client's next bytes may go as they are.
    public var clientPassage: OriginLink? {
        guard case .relay = stage, client.tls == nil, let link, link.tls == nil else { return nil }
        return link
    }

    /// How many of the link's next bytes may go to the client as they are; nil for none.
    ///
    /// Of a body of known length the last bytes are read here, so that its end is seen.
    public func originPassage(of link: OriginLink) -> Int? {
        guard client.tls == nil, link.tls == nil, link === self.link else { return nil }
        switch stage {
        case .relay: return .max
        case .exchange(let exchange):
            guard exchange.status != nil, link.plaintext.isEmpty, case .fixed = exchange.answerFraming,
                let left = link.reader.fixedBytesLeft, left > Self.bodyTail
            else { return nil }
            return Int(clamping: left - Self.bodyTail)
        case .waiting, .opening, .streams, .refused, .lingering, .closed: return nil
        }
    }

    func clientPassed(_ count: Int, waiting: Int) {
        guard case .relay(let relayed) = stage else { return }
        sentToOrigin(count, of: relayed, waiting: waiting)
    }

    func originPassed(_ link: OriginLink, _ count: Int, waiting: Int) {
        guard link === self.link else { return }
        switch stage {
        case .relay(let relayed): sentToClient(count, of: relayed, from: link, waiting: waiting)
        case .exchange(let exchange):
            link.reader.passOver(Int64(count))
            exchange.bytesReceived += Int64(count)
            arm(.idle)
            holdBack(link, waiting: waiting)
        case .waiting, .opening, .streams, .refused, .lingering, .closed: return
        }
    }

    /// Enough not to end a body with a tiny packet of its own.
    private static let bodyTail: Int64 = 16_384
}
