import ATSPolicy
import Bytes
import Dialing
import NetLoop
import ProxyCore
import Records

/// One client's socket with its session: passes events to the session and carries out its effects.
final class ClientConnection {
    let worker: Worker
    let stream: ByteStream
    let session: ProxySession
    private var timer: LoopTimer?
    private var deadline: Deadline?
    /// Unchecked: read for each event; no other code runs while it is changed.
    @exclusivity(unchecked) private var origins: [OriginConnection] = []
    /// The connection that the session waits for.
    private var dial: OriginDial?
    /// Bytes that arrived while the archive was full.
    private(set) var kept: ByteQueue?
    private var isClosing = false
    let place = WaitingLine<ClientConnection>.Slot()
    /// The bytes counted in the loop's budget.
    private(set) var waitingBytes = 0
    /// The time on the loop's clock at which the client or an origin last took bytes, in microseconds.
    private(set) var movedTicks: Int64 = 0
    private var isSettling = false

    /// The original address of a client that was redirected here, the only one dialed for it; nil for all others.
    let original: OriginalDestination?

    init(worker: Worker, stream: ByteStream, from place: ClientSource, at moment: Timestamp) {
        self.worker = worker
        self.stream = stream
        original = place.original
        session = ProxySession(loop: worker.context, client: place, outbox: stream.outbox, at: moment)
    }

    func begin(on loop: isolated EventLoop) {
        stream.handler = self
        timer = LoopTimer { [weak self] in self?.timerFired(on: loop) }
        do {
            try stream.attach(to: loop)
        } catch {
            return closeNow(on: loop)
        }
        settle(on: loop)
    }

    /// Passes an event to the session, and carries out its effects.
    func deliver(_ event: SessionEvent, on loop: isolated EventLoop) {
        if !isSettling { session.exchangeEffects(&worker.effects.first) }
        session.handle(event, at: worker.moment(on: loop))
        settle(on: loop)
    }

    /// Runs effects and writes, until neither causes more.
    private func settle(on loop: isolated EventLoop) {
        if isSettling { return }
        isSettling = true
        var effects = worker.effects.takeSecond()
        defer {
            isSettling = false
            // A waiting session, perhaps for hours, keeps no storage.
            worker.effects.second = effects
            worker.effects.first = []
            session.exchangeEffects(&worker.effects.first)
        }
        while true {
            session.exchangeEffects(&effects)
            for effect in effects { perform(effect, on: loop) }
            effects.removeAll(keepingCapacity: true)
            stream.flush(on: loop)
            for origin in origins { origin.stream.flush(on: loop) }
            // The effects may have caused others.
            if session.hasEffects { continue }
            // Output that was written immediately causes no drained event.
            if session.awaitsClient, isLow(stream) {
                session.handle(.clientDrained, at: worker.moment(on: loop))
            } else if let link = session.awaitedLink, origin(of: link).map({ isLow($0.stream) }) ?? true {
                session.handle(.originDrained(link), at: worker.moment(on: loop))
            } else {
                break
            }
        }
        updateWaitingLine(on: loop)
        guard isClosing else { return }
        // Closing also sends FIN; only if bytes are pending is a half-close needed first.
        if stream.waitingBytes == 0 { closeNow(on: loop) } else { stream.finishWriting(on: loop) }
    }

    /// Updates the line of idle clients and the count of pending bytes.
    private func updateWaitingLine(on loop: isolated EventLoop) {
        if !isClosing, stream.isOpen, session.onlyWaits {
            worker.waiting.enter(self, at: place)
        } else {
            worker.waiting.leave(place)
        }
        noteWaiting(on: loop)
    }

    private func noteWaiting(on loop: isolated EventLoop) {
        var waiting = stream.isOpen ? stream.waitingBytes : 0
        for origin in origins { waiting += origin.stream.waitingBytes }
        if stream.isOpen { waiting += session.heldBytes }
        guard waiting != waitingBytes else { return }
        if waiting < waitingBytes || waitingBytes == 0 { movedTicks = loop.now / 1_000 }
        worker.context.outboxes.note(from: waitingBytes, to: waiting)
        waitingBytes = waiting
        worker.noteBudget(on: loop)
    }

    /// Handles output that a reader has taken: notifies the session once enough was taken.
    func took(from stream: ByteStream, _ event: SessionEvent, on loop: isolated EventLoop) {
        if isLow(stream) { return deliver(event, on: loop) }
        movedTicks = loop.now / 1_000
        noteWaiting(on: loop)
        // Requests the next notification.
        stream.flush(on: loop)
    }

    /// True if so few bytes are pending that writing may continue.
    private func isLow(_ stream: ByteStream) -> Bool { stream.waitingBytes < session.lowWaterBytes }

    private func perform(_ effect: SessionEffect, on loop: isolated EventLoop) {
        switch effect {
        case .connect(let permit, let mayReuse): connect(permit, mayReuse: mayReuse, on: loop)
        case .abandonConnect: abandonDial(on: loop)
        case .keepOrigin(let link): keep(link, on: loop)
        case .closeOrigin(let link): closeOrigin(link, on: loop)
        case .closeClient: beginClosing(on: loop)
        case .resetClient:
            stream.abort(on: loop)
            closeNow(on: loop)
        case .finishClientWriting: stream.finishWriting(on: loop)
        case .finishOriginWriting(let link): origin(of: link)?.stream.finishWriting(on: loop)
        case .pauseClient: stream.pauseReading(on: loop)
        case .resumeClient: if kept == nil { stream.resumeReading(on: loop) }
        case .pauseOrigin(let link): origin(of: link)?.stream.pauseReading(on: loop)
        case .resumeOrigin(let link): origin(of: link)?.stream.resumeReading(on: loop)
        case .arm(let deadline, let duration):
            self.deadline = deadline
            timer?.arm(after: duration, on: loop)
        case .disarm:
            deadline = nil
            timer?.cancel()
        case .record(let record): worker.file(record, on: loop)
        }
    }

    private func timerFired(on loop: isolated EventLoop) {
        if isClosing { return closeNow(on: loop) }
        guard let deadline else { return }
        deliver(.deadlinePassed(deadline), on: loop)
    }

    // MARK: Origins

    private func connect(_ permit: ConnectPermit, mayReuse: Bool, on loop: isolated EventLoop) {
        let moment = worker.moment(on: loop)
        if mayReuse, let idle = worker.takeIdle(permit, at: original, for: stream.peerAddress) {
            adopt(idle)
            return session.handle(.originConnected(idle.link), at: moment)
        }
        dial = worker.dial(
            permit, at: original, for: stream.peerAddress, isInTunnel: session.isInTunnel, on: loop
        ) { [weak self] result in
            self?.dialed(result, permit, on: loop)
        }
    }

    private func dialed(
        _ result: Result<OriginSocket, NetworkFailure>, _ permit: ConnectPermit,
        on loop: isolated EventLoop
    ) {
        dial = nil
        switch result {
        case .failure(let failure): deliver(.dialFailed(failure), on: loop)
        case .success(let socket):
            let origin = OriginConnection(worker: worker, socket: socket, key: OriginLink.Key(permit, at: original))
            do {
                if socket.early == nil { try origin.stream.attach(to: loop) }
            } catch {
                return deliver(.dialFailed(.noDescriptors), on: loop)
            }
            adopt(origin)
            deliver(.originConnected(origin.link), on: loop)
            if let early = socket.early, !early.isEmpty {
                early.withUnsafeBytes { deliver(.originBytes(origin.link, $0), on: loop) }
            }
        }
    }

    private func adopt(_ origin: OriginConnection) {
        origin.owner = self
        origins.append(origin)
    }

    private func origin(of link: OriginLink) -> OriginConnection? { origins.first { $0.link === link } }

    private func keep(_ link: OriginLink, on loop: isolated EventLoop) {
        if let origin = release(link, on: loop) { worker.pool.keep(origin, on: loop) }
    }

    private func closeOrigin(_ link: OriginLink, on loop: isolated EventLoop) {
        release(link, on: loop)?.stream.close(on: loop)
    }

    private func release(_ link: OriginLink, on loop: isolated EventLoop) -> OriginConnection? {
        guard let index = origins.firstIndex(where: { $0.link === link }) else { return nil }
        let origin = origins.remove(at: index)
        origin.owner = nil
        // HTTP/2 may have a last frame to send, such as a stream reset; a relay its last bytes.
        origin.stream.flush(on: loop)
        return origin
    }

    private func abandonDial(on loop: isolated EventLoop) {
        dial?.cancel(on: loop)
        dial = nil
    }

    // MARK: Ending

    private func beginClosing(on loop: isolated EventLoop) {
        isClosing = true
        // Limits the wait for a client that does not read the rest.
        timer?.arm(after: Self.timeout, on: loop)
    }

    func closeNow(on loop: isolated EventLoop) {
        abandonDial(on: loop)
        for origin in origins {
            origin.owner = nil
            origin.stream.close(on: loop)
        }
        origins.removeAll()
        timer?.cancel()
        worker.waiting.leave(place)
        stream.close(on: loop)
        noteWaiting(on: loop)
        worker.forget(self, on: loop)
    }

    /// Continues with the kept bytes, because the archive has room again.
    func resumeReading(on loop: isolated EventLoop) {
        guard let bytes = kept else { return }
        kept = nil
        stream.resumeReading(on: loop)
        deliver(.clientBytes(bytes.bytes), on: loop)
    }

    private static let timeout = Duration.seconds(30)
}

extension ClientConnection: StreamHandler {
    func received(_ bytes: UnsafeRawBufferPointer, from stream: ByteStream, on loop: isolated EventLoop) {
        if worker.isHolding, session.mayBeginLoad {
            let queue = ByteQueue()
            queue.append(bytes)
            kept = queue
            stream.pauseReading(on: loop)
            return worker.hold(self)
        }
        deliver(.clientBytes(bytes), on: loop)
    }

    func ended(_ stream: ByteStream, on loop: isolated EventLoop) {
        if session.isClosed { return closeNow(on: loop) }
        deliver(.clientEnded, on: loop)
    }

    func failed(_ stream: ByteStream, errno: Int32, on loop: isolated EventLoop) {
        deliver(.clientLost, on: loop)
        closeNow(on: loop)
    }

    func drained(_ stream: ByteStream, on loop: isolated EventLoop) {
        took(from: stream, .clientDrained, on: loop)
    }

    func spliceTarget(for stream: ByteStream, on loop: isolated EventLoop) -> SpliceTarget? {
        session.clientSplice.flatMap(origin(of:)).map { SpliceTarget(to: $0.stream) }
    }

    func spliced(_ count: Int, from stream: ByteStream, to target: ByteStream, on loop: isolated EventLoop) {
        deliver(.clientPassed(count: count, waiting: target.waitingBytes), on: loop)
    }
}

extension ClientConnection {
    /// Drains the client. Bytes that it has already sent are read first, because no other connection would answer them.
    func drain(on loop: isolated EventLoop) {
        let isUnread = kept != nil || (!stream.isReadingPaused && stream.hasUnreadBytes)
        deliver(isUnread && session.isBetweenLoads ? .drainingUnread : .draining, on: loop)
    }
}

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
