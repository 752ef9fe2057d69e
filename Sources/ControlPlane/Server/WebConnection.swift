import Bytes
import Dispatch
import HTTPWire
import NetLoop
import Synchronization

/// One client: carries bytes between a socket and a conversation, and cuts off a client that is too slow.
final class WebConnection: StreamHandler {
    private let stream: ByteStream
    private let acceptor: WebAcceptor
    /// Returned when the last reference to the connection goes away.
    private let slot: Slots.Slot
    private let inbox = ByteQueue()
    private var conversation: WebConversation
    private var deadline: LoopTimer?
    /// Resumes the connection at the next beat, or after the other connections had their turn.
    private var turn: LoopTimer?
    private var isBeat = false
    /// True while another thread makes the next part of the answer.
    private var isWaiting = false
    private var clientHasEnded = false
    private var isLeaving = false
    /// The conversation's progress at the time when the deadline for a request was set.
    private var progress = 0
    private var limits: WebLimits { acceptor.limits }

    /// - Parameter timeout: the time limit for its first request.
    init(
        _ stream: ByteStream, _ slot: Slots.Slot, of acceptor: WebAcceptor, timeout: Duration,
        on loop: isolated EventLoop
    ) {
        self.stream = stream
        self.acceptor = acceptor
        self.slot = slot
        conversation = WebConversation(with: acceptor.router, peer: stream.peerAddress, limits: acceptor.limits)
        deadline = LoopTimer { [weak self] in self?.cutOff(on: loop) }
        turn = LoopTimer { [weak self] in
            self?.isBeat = true
            self?.advance(on: loop)
        }
        deadline?.arm(after: timeout, on: loop)
    }

    func received(_ bytes: UnsafeRawBufferPointer, from stream: ByteStream, on loop: isolated EventLoop) {
        guard !isLeaving else { return }
        inbox.append(bytes)
        if inbox.count >= Self.highWater { stream.pauseReading(on: loop) }
        advance(on: loop)
    }

    func ended(_ stream: ByteStream, on loop: isolated EventLoop) {
        clientHasEnded = true
        advance(on: loop)
    }

    func failed(_ stream: ByteStream, errno: Int32, on loop: isolated EventLoop) { cancelTimers() }

    func drained(_ stream: ByteStream, on loop: isolated EventLoop) {
        if stream.isWriteBlocked { deadline?.arm(after: limits.stall, on: loop) }
        advance(on: loop)
    }

    /// Advances the conversation until it waits for input, room or an answer.
    private func advance(on loop: isolated EventLoop) {
        for _ in 0..<Self.stepsPerTurn {
            guard stream.isOpen, !isWaiting else { return }
            guard !isLeaving else { return leave(on: loop) }
            guard !stream.isWriteBlocked || stream.outbox.count < Self.highWater else { return awaitRoom(on: loop) }
            let want = conversation.advance(inbox, stream.outbox)
            stream.flush(on: loop)
            guard stream.isOpen else { return }
            switch want {
            case .bytes: return awaitRequest(on: loop)
            case .answer(let call): answer(call, on: loop)
            case .room: break
            case .piece(let make): self.make(make, on: loop)
            case .beat: if !writePendingEvents(on: loop) { return }
            case .end: isLeaving = true
            }
        }
        // A client that reads faster than we write must not starve the others: continue after their turn.
        turn?.arm(after: .zero, on: loop)
    }

    private func awaitRequest(on loop: isolated EventLoop) {
        if clientHasEnded { return leave(on: loop) }
        stream.resumeReading(on: loop)
        guard conversation.progress != progress else { return }
        progress = conversation.progress
        deadline?.arm(after: limits.idle, on: loop)
    }

    /// Stops reading until the outbox has room; `drained` resumes.
    private func awaitRoom(on loop: isolated EventLoop) {
        stream.pauseReading(on: loop)
        deadline?.arm(after: limits.stall, on: loop)
    }

    private func leave(on loop: isolated EventLoop) {
        if stream.outbox.isEmpty, clientHasEnded { return close(on: loop) }
        inbox.removeAll()
        // Sends FIN first and closes once the client has seen it. Closing with unread input would reset the connection
        // and could lose the answer (RFC 9112 section 9.6).
        stream.finishWriting(on: loop)
        stream.resumeReading(on: loop)
        deadline?.arm(after: stream.outbox.isEmpty ? limits.end : limits.stall, on: loop)
        isLeaving = true
    }

    /// Ends the connection because a deadline passed.
    private func cutOff(on loop: isolated EventLoop) {
        cancelTimers()
        // A truncated answer must not look complete.
        if conversation.isAnswering { stream.abort(on: loop) } else { stream.close(on: loop) }
    }

    private func close(on loop: isolated EventLoop) {
        cancelTimers()
        stream.close(on: loop)
    }

    private func cancelTimers() {
        deadline?.cancel()
        turn?.cancel()
    }

    private static let highWater = 2 * ByteStream.lowWater
    private static let stepsPerTurn = 64
}

/// Answers, pieces and events.
extension WebConnection {
    private func answer(_ call: WebCall, on loop: isolated EventLoop) {
        isBeat = true
        guard !call.isQuick else { return conversation.give(call.answer(), stream.outbox) }
        runOffLoop(call.access == .changing ? acceptor.changes : acceptor.questions, on: loop) {
            call.answer()
        } then: { connection, answer, _ in
            connection.conversation.give(answer, connection.stream.outbox)
        }
    }

    private func make(_ piece: @escaping @Sendable () throws -> [UInt8]?, on loop: isolated EventLoop) {
        runOffLoop(acceptor.questions, on: loop) {
            Result(catching: piece)
        } then: { connection, piece, loop in
            switch piece {
            case .success(let piece): connection.conversation.give(piece: piece, connection.stream.outbox)
            case .failure: connection.cutOff(on: loop)
            }
        }
    }

    /// Runs `work` off the event loop, then ``advance(on:)``.
    private func runOffLoop<Value: Sendable>(
        _ queue: AnswerQueue, on loop: isolated EventLoop, _ work: @escaping @Sendable () -> Value,
        then take: @escaping @Sendable (WebConnection, Value, isolated EventLoop) -> Void
    ) {
        isWaiting = true
        stream.pauseReading(on: loop)
        deadline?.arm(after: limits.answer, on: loop)
        let place = LoopLocal<WebConnection>(loop)
        place.place(self, on: loop)
        let home: EventLoop = loop
        queue.run {
            let value = work()
            home.submit { loop in
                // Removed here, so that the connection is released on its own loop.
                guard let connection = place.value(on: loop) else { return }
                place.place(nil, on: loop)
                connection.isWaiting = false
                guard connection.stream.isOpen else { return }
                take(connection, value, loop)
                connection.advance(on: loop)
            }
        }
    }

    /// Writes the pending events if a beat is due and the client has read the previous ones; events in between are
    /// merged. Returns false if nothing is left to do before the next beat.
    private func writePendingEvents(on loop: isolated EventLoop) -> Bool {
        if clientHasEnded {
            close(on: loop)
            return false
        }
        if !stream.isWriteBlocked {
            deadline?.cancel()
            if isBeat {
                isBeat = false
                conversation.writeEvents(to: stream.outbox)
                stream.flush(on: loop)
                if stream.isWriteBlocked { deadline?.arm(after: limits.stall, on: loop) }
            }
        }
        if inbox.count < Self.highWater { stream.resumeReading(on: loop) }
        turn?.arm(after: EventStream.untilNextBeat, on: loop)
        return false
    }
}

/// Runs slow work off the event loop. A few items run at a time, in order, so that one slow answer does not delay the
/// next.
final class AnswerQueue: Sendable {
    private let limit: Int
    private let queue = DispatchQueue(label: "atsgate.page", qos: .utility, attributes: .concurrent)
    private let state = Mutex(State())

    private struct State {
        var waiting: [@Sendable () -> Void] = []
        var running = 0
    }

    /// - Parameter limit: the number of items that run at the same time.
    init(limit: Int) {
        self.limit = limit
    }

    /// Runs `work` where it may block.
    func run(_ work: @escaping @Sendable () -> Void) {
        let hasRoom = state.withLock { state in
            state.waiting.append(work)
            guard state.running < limit else { return false }
            state.running += 1
            return true
        }
        if hasRoom { queue.async { self.runWaiting() } }
    }

    private func runWaiting() {
        while let work = next() { work() }
    }

    private func next() -> (@Sendable () -> Void)? {
        state.withLock { state in
            guard state.waiting.isEmpty else { return state.waiting.removeFirst() }
            state.running -= 1
            return nil
        }
    }
}
