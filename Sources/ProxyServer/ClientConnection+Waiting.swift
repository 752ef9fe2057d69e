import NetLoop
import ProxyCore

/// The place of a connection in the line of idle clients, and its forced end.
extension ClientConnection {
    /// Moves to the end of the line of idle clients.
    func moveToEndOfLine() {
        worker.waiting.leave(place)
        worker.waiting.enter(self, at: place)
    }

    /// Closes the client because its descriptor or its memory is needed. Writes as much of the session's output as is
    /// possible now.
    func shedConnection(_ reason: SessionEvent = .shed, on loop: isolated EventLoop) {
        worker.waiting.leave(place)
        deliver(reason, on: loop)
        guard stream.isOpen else { return }
        deliver(.clientLost, on: loop)
        closeNow(on: loop)
    }
}
