import NetLoop

/// Accepts connections up to the limit.
final class WebAcceptor: Sendable {
    let router: WebRouter
    let limits: WebLimits
    /// Runs slow reads, so that they do not block the loop that serves the other clients.
    let questions: AnswerQueue
    /// Runs changes, one after the other.
    let changes = AnswerQueue(limit: 1)
    private let slots: Slots

    init(to router: WebRouter, limits: WebLimits) {
        self.router = router
        self.limits = limits
        questions = AnswerQueue(limit: limits.answers)
        slots = Slots(limit: limits.connections)
    }

    /// Serves a connection, or closes it if the limit is reached.
    func admit(_ descriptor: Int32, from peer: String, on loop: isolated EventLoop) {
        let stream = ByteStream(descriptor: descriptor, handler: nil, peerAddress: peer)
        let others = slots.taken
        guard let slot = slots.take() else { return stream.close(on: loop) }
        let isCrowded = others * 2 >= limits.connections
        let timeout = isCrowded ? min(limits.crowdedIdle, limits.idle) : limits.idle
        stream.handler = WebConnection(stream, slot, of: self, timeout: timeout, on: loop)
        // The loop was stopped or is out of memory.
        if (try? stream.attach(to: loop)) == nil { stream.close(on: loop) }
    }
}
