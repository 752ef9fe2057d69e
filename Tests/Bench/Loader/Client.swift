import Bytes
import HTTP2Engine
import HTTPWire
import NetLoop
import TLSEngine

/// The measured parts of an answer.
struct Answer {
    var status = 0
    var bodyBytes: Int64 = 0
    var isPersistent = true
    /// The time from the request to the last byte.
    var nanoseconds: Int64 = 0
}

/// One connection: dials, opens its tunnel, performs the handshake, sends requests and reads answers, as its group
/// directs.
final class Client {
    private enum Stage {
        case dialing, tunnel, handshake, standing, answer
    }

    let script: RequestScript
    /// True if it is connected, has nothing more to do, and was counted as such.
    var isHeld = false
    private unowned let connectionGroup: ConnectionGroup
    private var stage = Stage.dialing
    private var stream: ByteStream?
    private var machine: TLSMachine?
    private var reader = MessageReader.responses()
    /// Used instead of the reader for HTTP/2.
    private var talk: StreamTalk?
    /// Decrypted bytes that are not parsed yet.
    private let inbox = ByteQueue()
    private var answer = Answer()
    private var askedAt: Int64 = 0
    private var unsentBytes: Int64 = 0
    private var turn: LoopTimer?
    private var ticket: DialTicket?

    init(_ connectionGroup: ConnectionGroup, _ script: RequestScript) {
        self.connectionGroup = connectionGroup
        self.script = script
    }

    /// True while a load is in flight.
    var isAsking: Bool { stage == .answer }

    /// The body bytes received so far of the current answer.
    var partialBytes: Int64 { stage == .answer ? answer.bodyBytes : 0 }

    func open(on loop: isolated EventLoop) {
        let place = script.place
        ticket = connectionGroup.dialer.dial(host: place.host, port: place.port, on: loop) { [weak self] result in
            self?.ticket = nil
            switch result {
            case .failure(let failure): self?.fail("connecting: \(failure)", on: loop)
            case .success(let dialed):
                // Until it has an owner, the stream closes the descriptor itself.
                let stream = ByteStream(dialed, handler: self)
                self?.connected(stream, on: loop)
            }
        }
    }

    /// Sends its request, after a pause if one is given.
    func ask(after pause: Duration?, on loop: isolated EventLoop) {
        guard let pause else { return ask(on: loop) }
        let turn = LoopTimer { [weak self] in self?.ask(on: loop) }
        self.turn = turn
        turn.arm(after: pause, on: loop)
    }

    /// Sends its request. The connection must be open.
    func ask(on loop: isolated EventLoop) {
        guard let stream else { return }
        stage = .answer
        answer = Answer()
        askedAt = EventLoop.monotonicNanoseconds()
        if let talk {
            talk.ask()
            return sendStreams(talk, on: loop)
        }
        unsentBytes = script.uploadBytes
        reader.expectResponse(to: unsentBytes > 0 ? .put : .get)
        script.request.withUnsafeBytes { say($0, on: stream) }
        stream.flush(on: loop)
        if unsentBytes > 0 { sendBody(on: loop) }
    }

    func close(on loop: isolated EventLoop) {
        ticket?.cancel()
        turn?.cancel()
        machine?.sendClose()
        stream?.flush(on: loop)
        stream?.close(on: loop)
        stream = nil
    }

    private func connected(_ stream: ByteStream, on loop: isolated EventLoop) {
        self.stream = stream
        do throws(NetError) {
            try stream.attach(to: loop)
        } catch {
            return fail("\(error)", on: loop)
        }
        guard let opening = script.opening else { return secure(stream, on: loop) }
        stage = .tunnel
        reader.expectResponse(to: .connect)
        stream.outbox.append(opening)
        stream.flush(on: loop)
    }

    private func secure(_ stream: ByteStream, on loop: isolated EventLoop) {
        guard let tls = script.tls else { return stand(on: loop) }
        stage = .handshake
        do throws(TLSSetupError) {
            let machine = try TLSMachine.origin(
                tls, serverName: script.serverName, alpn: [script.talk.isHTTP2 ? "h2" : "http/1.1"],
                outbox: stream.outbox)
            self.machine = machine
            machine.start()
            stream.flush(on: loop)
        } catch {
            fail("\(error)", on: loop)
        }
    }

    private func stand(on loop: isolated EventLoop) {
        stage = .standing
        if let request = script.streamRequest {
            guard machine?.negotiatedALPN == "h2" else { return fail("HTTP/2 was not negotiated", on: loop) }
            do throws(HTTP2Failure) {
                talk = try StreamTalk(request)
            } catch {
                return fail("HTTP/2: \(error)", on: loop)
            }
        }
        connectionGroup.stands(self, on: loop)
    }

    private func fail(_ words: String, on loop: isolated EventLoop) {
        let wasStanding =
            switch stage {
            case .dialing, .tunnel, .handshake: false
            case .standing, .answer: true
            }
        connectionGroup.failed(self, words, wasStanding: wasStanding, on: loop)
    }

    private func say(_ bytes: UnsafeRawBufferPointer, on stream: ByteStream) {
        if let machine { machine.send(bytes) } else { stream.outbox.append(bytes) }
    }

    /// Sends pending HTTP/2 frames, and continues when its stream has ended.
    private func sendStreams(_ talk: StreamTalk, on loop: isolated EventLoop) {
        guard let stream else { return }
        say(talk.frames.bytes, on: stream)
        talk.frames.removeAll()
        stream.flush(on: loop)
        switch talk.takeOutcome() {
        case nil: return
        case .answered(let answer):
            self.answer = answer
            complete(on: loop)
        case .broken(let words): fail(words, on: loop)
        }
    }

    /// Sends until the socket is full, and continues when it is writable.
    private func sendBody(on loop: isolated EventLoop) {
        guard let stream else { return }
        for _ in 0..<Self.blocksPerTurn where unsentBytes > 0 && !stream.isWriteBlocked {
            let count = min(unsentBytes, Int64(Self.block.count))
            Self.block.withUnsafeBytes { say(UnsafeRawBufferPointer(rebasing: $0.prefix(Int(count))), on: stream) }
            unsentBytes -= count
            stream.flush(on: loop)
        }
        guard unsentBytes > 0, !stream.isWriteBlocked else { return }
        let turn = turn ?? LoopTimer { [weak self] in self?.sendBody(on: loop) }
        self.turn = turn
        turn.arm(after: .zero, on: loop)
    }

    /// Pauses reading.
    private func rest(_ pause: Duration, on loop: isolated EventLoop) {
        stream?.pauseReading(on: loop)
        let turn = LoopTimer { [weak self] in self?.stream?.resumeReading(on: loop) }
        self.turn = turn
        turn.arm(after: pause, on: loop)
    }

    private static let block = [UInt8](repeating: 0x61, count: 65_536)
    /// 16 MiB; then the answer is checked.
    private static let blocksPerTurn = 256
}

extension Client: StreamHandler {
    func received(_ bytes: UnsafeRawBufferPointer, from stream: ByteStream, on loop: isolated EventLoop) {
        guard let machine else {
            inbox.append(bytes)
            return read(on: loop)
        }
        machine.receive(bytes, plaintext: inbox)
        stream.flush(on: loop)
        if stage == .handshake, machine.state == .established { stand(on: loop) }
        read(on: loop)
        switch machine.state {
        case .handshaking, .helloHeld, .established: break
        case .closed: ended(stream, on: loop)
        case .failed(let failure): fail("TLS: \(failure)", on: loop)
        }
    }

    func ended(_ stream: ByteStream, on loop: isolated EventLoop) {
        guard self.stream != nil else { return }
        if stage == .answer, case .end? = try? reader.endOfInput() {
            answer.isPersistent = false
            return complete(on: loop)
        }
        fail("the other side closed (\(stage))", on: loop)
    }

    func failed(_ stream: ByteStream, errno: Int32, on loop: isolated EventLoop) {
        if self.stream != nil { fail("connection broke, errno \(errno) (\(stage))", on: loop) }
    }

    func drained(_ stream: ByteStream, on loop: isolated EventLoop) {
        if unsentBytes > 0 { sendBody(on: loop) }
    }

    /// Parses the inbox.
    private func read(on loop: isolated EventLoop) {
        if let talk {
            talk.receive(inbox.bytes)
            inbox.removeAll()
            return sendStreams(talk, on: loop)
        }
        while stream != nil, stage == .tunnel || stage == .answer {
            let step: MessageReader.Step
            do throws(WireError) {
                step = try reader.next(in: inbox.bytes)
            } catch {
                return fail("answer: \(error)", on: loop)
            }
            inbox.consume(step.consumed)
            guard let event = step.event else { return }
            take(event, on: loop)
        }
    }

    private func take(_ event: MessageReader.Event, on loop: isolated EventLoop) {
        switch event {
        case .requestHead, .trailers: break
        case .body(let count): answer.bodyBytes += Int64(count)
        case .responseHead(let head):
            guard !head.isInterim else { return }
            answer.status = head.status
            answer.isPersistent = head.isPersistent
            if stage == .answer, let stall = script.talk.stall { rest(stall, on: loop) }
        case .end:
            if stage == .answer { return complete(on: loop) }
            guard answer.status == 200, let stream else { return fail("CONNECT: \(answer.status)", on: loop) }
            reader = MessageReader.responses()
            secure(stream, on: loop)
        }
    }

    private func complete(on loop: isolated EventLoop) {
        answer.nanoseconds = EventLoop.monotonicNanoseconds() - askedAt
        // If the answer arrived before the whole request was sent, the connection cannot be reused.
        if unsentBytes > 0 { answer.isPersistent = false }
        stage = .standing
        connectionGroup.answered(self, answer, on: loop)
    }
}
