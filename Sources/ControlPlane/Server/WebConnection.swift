import Bytes
import HTTPWire
import NetLoop

/// One client: carries bytes between a socket and a conversation, and cuts off who takes too long.
final class WebConnection: StreamHandler {
    private let stream: ByteStream
    private let acceptor: WebAcceptor
    /// Given back when nobody works for it any more.
    private let slot: Slots.Slot
    private let inbox = ByteQueue()
    private var conversation: WebConversation
    private var deadline: LoopTimer?
    /// Goes on at the next beat, or after the others' turn.
    private var turn: LoopTimer?
    private var isBeat = false
    /// Somebody makes what comes next, on another thread.
    private var isWaiting = false
    private var clientHasEnded = false
    private var isLeaving = false
    /// The conversation's, when the time for a request began.
    private var progress = 0
    private var limits: WebLimits { acceptor.limits }

    /// - Parameter patience: how long its first request may take.
    init(
        _ stream: ByteStream, _ slot: Slots.Slot, of acceptor: WebAcceptor, patience: Duration,
        on loop: isolated EventLoop
    ) {
        self.stream = stream
        self.acceptor = acceptor
        self.slot = slot
        conversation = WebConversation(with: acceptor.router, peer: stream.peerAddress, limits: acceptor.limits)
        deadline = LoopTimer { [weak self] in self?.cutOff(on: loop) }
        turn = LoopTimer { [weak self] in
            self?.isBeat = true
            self?.goOn(on: loop)
        }
        deadline?.arm(after: patience, on: loop)
    }

    func received(_ bytes: UnsafeRawBufferPointer, from stream: ByteStream, on loop: isolated EventLoop) {
        guard !isLeaving else { return }
        inbox.append(bytes)
        if inbox.count >= Self.highWater { stream.pauseReading(on: loop) }
        goOn(on: loop)
    }

    func ended(_ stream: ByteStream, on loop: isolated EventLoop) {
        clientHasEnded = true
        goOn(on: loop)
    }

    func failed(_ stream: ByteStream, errno: Int32, on loop: isolated EventLoop) { forget() }

    func drained(_ stream: ByteStream, on loop: isolated EventLoop) {
        if stream.isWriteBlocked { deadline?.arm(after: limits.stall, on: loop) }
        goOn(on: loop)
    }

    /// Lets the conversation go on until it wants what is not there.
    private func goOn(on loop: isolated EventLoop) {
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
            case .beat: if !tell(on: loop) { return }
            case .end: isLeaving = true
            }
        }
        // A client faster than we are must not starve the others: back after their turn.
        turn?.arm(after: .zero, on: loop)
    }

    private func awaitRequest(on loop: isolated EventLoop) {
        if clientHasEnded { return leave(on: loop) }
        stream.resumeReading(on: loop)
        guard conversation.progress != progress else { return }
        progress = conversation.progress
        deadline?.arm(after: limits.idle, on: loop)
    }

    /// `drained` goes on.
    private func awaitRoom(on loop: isolated EventLoop) {
        stream.pauseReading(on: loop)
        deadline?.arm(after: limits.stall, on: loop)
    }

    private func leave(on loop: isolated EventLoop) {
        if stream.outbox.isEmpty, clientHasEnded { return close(on: loop) }
        inbox.removeAll()
        // FIN first, and a close when the client has seen it: closing with something unread would reset the connection,
        // and the answer could be lost (RFC 9112 section 9.6).
        stream.finishWriting(on: loop)
        stream.resumeReading(on: loop)
        deadline?.arm(after: stream.outbox.isEmpty ? limits.end : limits.stall, on: loop)
        isLeaving = true
    }

    /// The time for what was to happen is over.
    private func cutOff(on loop: isolated EventLoop) {
        forget()
        // An answer that is cut short must not look like a whole one.
        if conversation.isAnswering { stream.abort(on: loop) } else { stream.close(on: loop) }
    }

    private func close(on loop: isolated EventLoop) {
        forget()
        stream.close(on: loop)
    }

    private func forget() {
        deadline?.cancel()
        turn?.cancel()
    }

    private static let highWater = 2 * ByteStream.lowWater
    private static let stepsPerTurn = 64
}

/// What comes from elsewhere.
extension WebConnection {
    private func answer(_ call: WebCall, on loop: isolated EventLoop) {
        isBeat = true
        guard !call.isQuick else { return conversation.give(call.answer(), stream.outbox) }
        aside(call.access == .changing ? acceptor.changes : acceptor.questions, on: loop) {
            call.answer()
        } then: { connection, answer, _ in
            connection.conversation.give(answer, connection.stream.outbox)
        }
    }

    private func make(_ piece: @escaping @Sendable () throws -> [UInt8]?, on loop: isolated EventLoop) {
        aside(acceptor.questions, on: loop) {
            Result(catching: piece)
        } then: { connection, piece, loop in
            switch piece {
            case .success(let piece): connection.conversation.give(piece: piece, connection.stream.outbox)
            case .failure: connection.cutOff(on: loop)
            }
        }
    }

    /// Runs `work` where it may block; ``goOn(on:)`` follows.
    private func aside<Value: Sendable>(
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
                // Taken out, so that it is let go of on its own loop.
                guard let connection = place.value(on: loop) else { return }
                place.place(nil, on: loop)
                connection.isWaiting = false
                guard connection.stream.isOpen else { return }
                take(connection, value, loop)
                connection.goOn(on: loop)
            }
        }
    }

    /// Tells what has happened, where it is time for that and the client has taken what was told before: what happens
    /// meanwhile is folded. Returns false where there is nothing to do before the next beat.
    private func tell(on loop: isolated EventLoop) -> Bool {
        if clientHasEnded {
            close(on: loop)
            return false
        }
        if !stream.isWriteBlocked {
            deadline?.cancel()
            if isBeat {
                isBeat = false
                conversation.tell(stream.outbox)
                stream.flush(on: loop)
                if stream.isWriteBlocked { deadline?.arm(after: limits.stall, on: loop) }
            }
        }
        if inbox.count < Self.highWater { stream.resumeReading(on: loop) }
        turn?.arm(after: EventStream.untilNextBeat, on: loop)
        return false
    }
}
