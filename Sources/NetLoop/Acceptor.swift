import CPoll

/// A listening socket in the poll set of one loop. Distributes accepted connections over all loops.
final class Acceptor {
    private var socket: ListeningSocket?
    private let loops: [EventLoop]
    private let exhausted: @Sendable (Int32) -> Void
    private let accepted: Listener.AcceptHandler
    private var token = PollToken.none
    private var turn = 0
    private var pause: LoopTimer?

    init(
        _ socket: ListeningSocket, for loops: [EventLoop], exhausted: @escaping @Sendable (Int32) -> Void,
        accepted: @escaping Listener.AcceptHandler
    ) {
        self.socket = socket
        self.loops = loops
        self.exhausted = exhausted
        self.accepted = accepted
    }

    /// Starts accepting. Ends without accepting if the loop was stopped or the poll set rejects the socket.
    func begin(on loop: isolated EventLoop) {
        guard let socket, let place = try? loop.adopt(self) else { return end(on: loop) }
        token = place
        guard loop.watch(socket.descriptor, as: place, for: .read) == 0 else { return end(on: loop) }
    }

    /// Accepts the connections in the backlog, whose requests may have arrived already, then stops. If another process
    /// keeps the socket, they are left to it.
    func finish(on loop: isolated EventLoop) {
        if let socket, !socket.isHanded {
            for _ in 0..<Self.backlogAtMost {
                var peer = cpoll_address()
                let answer = cpoll_accept(socket.descriptor, &peer)
                guard answer >= 0 || -answer == ECONNABORTED else { break }
                if answer >= 0 { hand(Arrival(descriptor: answer, peer: SocketAddress(peer)), on: loop) }
            }
        }
        end(on: loop)
    }

    func end(on loop: isolated EventLoop) {
        loop.release(token)
        token = .none
        // Closing removes it from the poll set only if no other process, such as a service manager, has it open:
        // epoll(7), "Will closing a file descriptor cause it to be removed from all epoll interest lists?"
        if let socket, pause == nil { loop.unwatch(socket.descriptor, interest: .read) }
        pause = nil
        socket = nil
    }

    private func hand(_ arrival: Arrival, on loop: isolated EventLoop) {
        turn = (turn + 1) % loops.count
        let target = loops[turn]
        if target === loop { return accepted(arrival.descriptor, arrival.peer.description, loop) }
        let accepted = accepted
        target.submit { loop in accepted(arrival.descriptor, arrival.peer.description, loop) }
    }

    /// Pauses accepting. The backlog keeps the socket ready, so without a pause the loop would spin.
    private func backOff(_ code: Int32, on loop: isolated EventLoop) {
        guard let socket else { return }
        loop.unwatch(socket.descriptor, interest: .read)
        let pause = LoopTimer { [weak self] in self?.acceptMore(on: loop) }
        self.pause = pause
        pause.arm(after: Self.pauseLength, on: loop)
        exhausted(code)
    }

    private func acceptMore(on loop: isolated EventLoop) {
        pause = nil
        guard let socket else { return }
        if loop.watch(socket.descriptor, as: token, for: .read) != 0 { end(on: loop) }
    }

    /// Errors of accept(2) that pass when other descriptors are closed.
    private static let shortages: Set<Int32> = [EMFILE, ENFILE, ENOBUFS, ENOMEM]
    private static let pauseLength = Duration.milliseconds(20)
    /// A limit, because clients may keep connecting while the backlog is emptied.
    private static let backlogAtMost = 4_096
}

extension Acceptor: PollTarget {
    /// Accepts one connection. If more wait, the next batch reports them; accepting until none is left would cost one
    /// extra call each time. Only a loop with large batches accepts more at a time, so that new clients do not starve.
    func ready(_ readiness: Readiness, on loop: isolated EventLoop) {
        for _ in 0..<max(1, loop.batchSize / Self.reportsPerArrival) {
            guard let socket, pause == nil else { return }
            var peer = cpoll_address()
            let answer = cpoll_accept(socket.descriptor, &peer)
            if answer >= 0 {
                hand(Arrival(descriptor: answer, peer: SocketAddress(peer)), on: loop)
            } else if Self.shortages.contains(-answer) {
                return backOff(-answer, on: loop)
            } else if -answer != ECONNABORTED {
                // The backlog is empty. ECONNABORTED, a connection that broke in the backlog, does not stop the loop.
                return
            }
        }
    }

    func loopStopped(on loop: isolated EventLoop) { end(on: loop) }

    private static let reportsPerArrival = 4
}

private struct Arrival: Sendable {
    let descriptor: Int32
    let peer: SocketAddress
}
