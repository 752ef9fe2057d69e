import ATSPolicy
import Bytes
import HTTP2Engine
import HTTPWire
import Records
import TLSEngine

/// A client that uses HTTP/2: each stream is ruled, carried and recorded as a load of its own.
final class Multiplexer: SessionMachine {
    let context: SessionContext
    let inside: Tunnel
    /// The client's connection.
    private let machine: HTTP2Machine
    private let links: StreamLinks
    private let loads = StreamLoads()
    /// The client's outbox is full and frames wait for it.
    private var framesWait = false

    private init(_ context: SessionContext, in tunnel: Tunnel, machine: HTTP2Machine, over link: OriginLink?) {
        self.context = context
        inside = tunnel
        self.machine = machine
        links = StreamLinks(context, in: tunnel, client: machine, loads: loads, first: link)
        machine.handler = self
    }

    /// Switches the client's connection to HTTP/2.
    ///
    /// - Parameter link: an existing link for the first loads.
    static func become(_ context: SessionContext, in tunnel: Tunnel, over link: OriginLink?) -> Transition {
        do throws(HTTP2Failure) {
            let machine = try HTTP2Machine(role: .client)
            return .become(Multiplexer(context, in: tunnel, machine: machine, over: link))
        } catch {
            if let link { context.drop(link) }
            return .close(.gate(.fault(.http2(error))))
        }
    }

    var tunnel: Tunnel? { inside }
    private var client: ClientStream { context.client }
    private var recorder: LoadRecorder { LoadRecorder(context: context, tunnel: inside) }

    func begin() -> Transition {
        context.timer.markExpired()
        links.begin()
        if context.isDraining { machine.shutDown(.noError) }
        return readFrames()
    }

    // MARK: Frames

    func clientSent(_ bytes: UnsafeRawBufferPointer) -> Transition {
        client.receive(bytes)
        return readFrames()
    }

    private func readFrames() -> Transition {
        machine.ticks = context.now.ticks
        if !client.inbox.isEmpty {
            machine.receive(client.inbox.bytes)
            client.inbox.removeAll()
        }
        if case .failed(let failure) = machine.state { return clientBroke(failure) }
        switch client.tls?.state {
        case .closed: return .close(.client(.left))
        case .failed: return clientRejectedLeaf()
        case .handshaking, .helloHeld, .established, nil: return settle()
        }
    }

    /// Runs after every event: writes frames, and arms the timer for the current deadline.
    private func settle() -> Transition {
        flushFrames()
        if context.isDraining, loads.isEmpty { return leave() }
        if loads.isEmpty, machine.isFinished { return .close(.settled) }
        let wanted: Deadline =
            links.isHandshaking ? .handshake : !loads.isEmpty ? .answer : context.waiting(mayRest: links.mayRest)
        if context.timer.armed != wanted { context.arm(wanted) }
        return .stay
    }

    var heldBytes: Int { machine.memory.queuedBytes + machine.memory.headBytes + links.queuedBytes }

    private func flushFrames() {
        let limit = context.highWaterBytes
        let isShort = context.loop.outboxes.isShort(holding: heldBytes)
        machine.setShortOfMemory(isShort)
        links.setShortOfMemory(isShort)
        links.flushFrames(limit: limit)
        framesWait = machine.moveFrames(
            through: client.tls, to: client.outbox, scratch: context.loop.scratch, limit: limit)
        // Data that was moved to the client opens its origins' windows; no later event may send those updates.
        links.flushFrames(limit: limit, onlyWanting: true)
    }

    /// Handles an HTTP/2 error of the client's connection. nghttp2 has queued the GOAWAY with the reason.
    private func clientBroke(_ failure: HTTP2Failure) -> Transition {
        recorder.fail(RecordedDiagnosis(.brokenStreams(failure)))
        flushFrames()
        return .close(.settled)
    }

    private func clientRejectedLeaf() -> Transition {
        guard inside.awaitsRecord, loads.isEmpty else { return .close(.client(.left)) }
        return recorder.leafRejected()
    }

    /// Closes the client's connection after its last load.
    private func leave() -> Transition {
        machine.shutDown(.noError)
        flushFrames()
        return .close(.settled)
    }

    // MARK: Loads

    private func streamClosed(_ load: StreamLoad, _ end: HTTP2StreamEnd) {
        loads.remove(load)
        load.forgetEarly()
        let link = load.link
        links.release(load)
        if load.load.answerIsWhole {
            load.file(load.load.passVerdict, on: link)
        } else {
            var finding = Finding.clientGone(after: load.load.bytesReceived)
            if let fault = load.client.fault { finding = .malformedStream(fault) }
            if case .failed(let failure) = machine.state { finding = .brokenStreams(failure) }
            load.file(.failed, RecordedDiagnosis(finding), on: link)
        }
    }

    private func go(_ load: StreamLoad, _ admission: Admission, _ upgrade: Upgrade?) {
        switch admission {
        case .carry where upgrade?.forwarded(under: context.loop.policy.rules.otherUpgrades).isEmpty == true:
            load.refuseUpgrade()
        case .carry: links.carry(load)
        case .refuse(let diagnosis): load.refuse(diagnosis)
        case .fail(let answer): load.fail(answer)
        }
    }

    // MARK: Origins

    func connected(_ link: OriginLink) -> Transition {
        links.connected(link)
        return settle()
    }

    func dialFailed(_ failure: NetworkFailure) -> Transition {
        links.dialFailed(failure)
        return settle()
    }

    func originSent(_ bytes: UnsafeRawBufferPointer, on link: OriginLink) -> Transition {
        links.originSent(bytes, on: link)
        return settle()
    }

    func originEnded(_ link: OriginLink, reset: Bool) -> Transition {
        links.originEnded(link, reset: reset)
        return settle()
    }

    func originDrained(_ link: OriginLink) -> Transition {
        links.drained(link)
        return settle()
    }

    func clientDrained() -> Transition { settle() }

    var isBetweenLoads: Bool { loads.isEmpty }
    var mayBeginLoad: Bool { true }
    var awaitsClient: Bool { framesWait }
    var awaitedLink: OriginLink? { links.awaited(below: context.highWaterBytes) }

    // MARK: Ends

    func deadlinePassed(_ deadline: Deadline) -> Transition {
        switch deadline {
        case .handshake:
            links.timedOut()
            return settle()
        case .answer:
            failStalled()
            return settle()
        case .rest:
            links.rest()
            context.armAfterRest()
            return settle()
        case .idle: return leave()
        case .head, .halfClosed, .linger: return .close(.settled)
        }
    }

    /// Fails loads without progress for too long, and arms the timer for the next one that may stall.
    private func failStalled() {
        let limits = context.loop.policy.rules.limits
        var next = limits.idle
        for load in loads.all {
            let limit = load.isAsked ? limits.answer : limits.idle
            let left = limit - .microseconds(context.now.ticks - load.movedTicks)
            guard left <= .zero else {
                next = min(next, left)
                continue
            }
            links.release(load)
            load.fail(load.waitsForOrigin ? context.unanswered(load.load) : .clientStalled(limits.idle))
        }
        if !loads.isEmpty { context.arm(.answer, for: next) }
    }

    /// Closes the client, as after an idle timeout if it has no loads.
    func shed() -> Transition { loads.isEmpty ? leave() : .close(.gate(.shed)) }

    /// Sends GOAWAY, and closes after the loads in flight.
    func drain() -> Transition {
        machine.shutDown(.noError)
        return settle()
    }

    /// Drains as usual: GOAWAY contains the last stream that was read, so the client repeats later ones elsewhere.
    func drainUnread() -> Transition { drain() }

    func end(_ reason: EndReason) {
        for load in loads.takeAll() {
            load.client.handler = nil
            let link = load.link
            links.release(load)
            let bytes = load.load.bytesReceived
            if load.load.answerIsWhole {
                load.file(load.load.passVerdict, on: link)
            } else {
                load.file(
                    .failed, RecordedDiagnosis(reason.finding(after: bytes) ?? .clientGone(after: bytes)), on: link)
            }
        }
        links.end()
        machine.abandon()
        recorder.fileTunnel(left: reason)
    }
}

extension Multiplexer: HTTP2Handler {
    func opened(_ request: HTTP2Request, _ stream: HTTP2Stream) {
        context.recognize(request.head)
        let upgrade = Upgrade(request)
        var wireProtocol = RecordedRequest.WireProtocol.http2
        if upgrade?.isWebSocket == true { wireProtocol = .websocket }
        let (load, admission) = context.admit(
            request.head, to: inside.target(askedBy: request.head), in: inside, as: wireProtocol)
        let streamLoad = StreamLoad(load, request, on: stream, links: links) { [unowned self] in streamClosed($0, $1) }
        stream.handler = streamLoad
        loads.add(streamLoad)
        if request.head.method == .connect, request.protocolName == nil {
            // As in HTTP/1.1, this is not a load.
            load.isRecorded = true
            return streamLoad.answer(RequestedTarget.tunnelInTunnel(request.head))
        }
        guard !context.loop.outboxes.isSpent, !machine.memory.hasTooManyHeads else {
            streamLoad.file(.failed, RecordedDiagnosis(.overBudget), on: nil)
            return stream.reset(.refusedStream)
        }
        let others = context.loop.policy.rules.otherUpgrades
        if let remark = upgrade?.remark(under: others) { load.remark = load.remark?.adding(remark) ?? remark }
        go(streamLoad, admission, upgrade)
    }

    /// Files a request that the library reset as a failed load.
    func rejected(_ request: HTTP2RejectedRequest) {
        context.noteAsking(in: inside)
        let target: RequestTarget = .path(request.path ?? "/")
        let head = RequestHead(method: request.method.flatMap(Method.init) ?? .get, target: target)
        let load = Load(
            head: head, ruled: inside.ruled, client: context.recordedClient(under: inside.ruled), started: context.now,
            redirectedFrom: nil,
            wireProtocol: .http2)
        if let denial = inside.denial { return recorder.file(load, inside.verdict, diagnosis: denial) }
        let finding = request.fault == .incomplete ? Finding.clientGone(after: 0) : .malformedStream(request.fault)
        recorder.file(load, .failed, diagnosis: RecordedDiagnosis(finding))
    }

    func peerChangedSettings(_ machine: HTTP2Machine) {}

    func peerIsLeaving(_ machine: HTTP2Machine, code: UInt32) {}
}

extension HTTP2Machine {
    /// Moves pending frames into an outbox, encrypted if there is TLS, until `limit` bytes wait there.
    ///
    /// - Parameter scratch: an empty queue to collect plaintext in.
    /// - Returns: true if frames are left.
    func moveFrames(through tls: TLSMachine?, to outbox: ByteQueue, scratch: ByteQueue, limit: Int) -> Bool {
        guard let tls else {
            write(to: outbox, upTo: limit)
            return outbox.count >= limit && wantsToWrite
        }
        guard tls.state == .established else { return false }
        while wantsToWrite {
            guard outbox.count < limit else { return true }
            write(to: scratch, upTo: Self.sealedAtOnce)
            guard !scratch.isEmpty else { return false }
            tls.send(scratch.bytes)
            scratch.removeAll()
        }
        return false
    }

    /// The bytes to collect before encrypting: a few full TLS records.
    private static let sealedAtOnce = 65_536
}
