import ATSPolicy
import Bytes
import HTTPWire
import NetLoop
import TLSEngine

/// The connection of one load. Dials the proxy; if the load is secure, opens a tunnel and does the TLS handshake; then
/// sends the request, reads the response, and closes.
final class LoadConnection {
    private enum Stage {
        case dialing, tunnel, handshake, answer, over
    }

    private let load: LabLoad
    private let client: LabClient
    private let done: (LabLoad.Outcome) -> Void
    private var stage = Stage.dialing
    private var stream: ByteStream?
    private var machine: TLSMachine?
    private var reader = MessageReader.responses()
    /// Decrypted bytes to read.
    private let inbox = ByteQueue()
    private var status = 0
    private var alarm: LoopTimer?
    private var ticket: DialTicket?

    /// - Parameter done: called once with the outcome, on the loop.
    init(_ load: LabLoad, of client: LabClient, done: @escaping (LabLoad.Outcome) -> Void) {
        self.load = load
        self.client = client
        self.done = done
    }

    func open(deadline: Duration, on loop: isolated EventLoop) {
        let alarm = LoopTimer { [weak self] in self?.end(.broken("no response in time"), on: loop) }
        self.alarm = alarm
        alarm.arm(after: deadline, on: loop)
        ticket = client.dialer.dial(host: "127.0.0.1", port: client.proxyPort, on: loop) { [weak self] result in
            guard let self else { return }
            self.ticket = nil
            switch result {
            case .failure(let failure): self.end(.broken("connecting: \(failure)"), on: loop)
            case .success(let dialed): self.connected(ByteStream(dialed, handler: self), on: loop)
            }
        }
    }

    private func connected(_ stream: ByteStream, on loop: isolated EventLoop) {
        self.stream = stream
        do throws(NetError) {
            try stream.attach(to: loop)
        } catch {
            return end(.broken("\(error)"), on: loop)
        }
        guard load.isSecure else { return ask(on: loop) }
        stage = .tunnel
        reader.expectResponse(to: .connect)
        stream.outbox.append(load.opening)
        stream.flush(on: loop)
    }

    private func shakeHands(on loop: isolated EventLoop) {
        guard let stream else { return }
        stage = .handshake
        do throws(TLSSetupError) {
            let machine = try TLSMachine.origin(
                client.tls, serverName: load.host, alpn: ["http/1.1"], outbox: stream.outbox)
            self.machine = machine
            machine.start()
            stream.flush(on: loop)
        } catch {
            end(.broken("TLS: \(error)"), on: loop)
        }
    }

    private func checkCertificate(on loop: isolated EventLoop) {
        guard let facts = machine?.facts(trust: client.trust), facts.anchor == .system || facts.anchor == .user,
            facts.faults.isEmpty
        else { return end(.untrusted, on: loop) }
        ask(on: loop)
    }

    private func ask(on loop: isolated EventLoop) {
        guard let stream else { return }
        stage = .answer
        reader = MessageReader.responses()
        reader.expectResponse(to: .get)
        if let machine {
            Array(load.request.utf8).withUnsafeBytes { machine.send($0) }
        } else {
            stream.outbox.append(load.request)
        }
        stream.flush(on: loop)
    }

    private func end(_ outcome: LabLoad.Outcome, on loop: isolated EventLoop) {
        guard stage != .over else { return }
        stage = .over
        alarm?.cancel()
        ticket?.cancel()
        machine?.sendClose()
        stream?.flush(on: loop)
        stream?.close(on: loop)
        stream = nil
        done(outcome)
    }
}

extension LoadConnection: StreamHandler {
    func received(_ bytes: UnsafeRawBufferPointer, from stream: ByteStream, on loop: isolated EventLoop) {
        if let machine {
            machine.receive(bytes, plaintext: inbox)
            stream.flush(on: loop)
        } else {
            inbox.append(bytes)
        }
        if stage == .handshake, machine?.state == .established { checkCertificate(on: loop) }
        read(on: loop)
        switch machine?.state {
        case nil, .handshaking, .helloHeld, .established: break
        case .closed: ended(stream, on: loop)
        case .failed(let failure): end(.broken("TLS: \(failure)"), on: loop)
        }
    }

    func ended(_ stream: ByteStream, on loop: isolated EventLoop) {
        if stage == .answer, case .end? = try? reader.endOfInput() { return end(.answered(status: status), on: loop) }
        end(.broken("the proxy closed the connection"), on: loop)
    }

    func failed(_ stream: ByteStream, errno: Int32, on loop: isolated EventLoop) {
        end(.broken("the connection broke, errno \(errno)"), on: loop)
    }

    func drained(_ stream: ByteStream, on loop: isolated EventLoop) {}

    /// Reads the messages in the inbox.
    private func read(on loop: isolated EventLoop) {
        while stage == .tunnel || stage == .answer {
            let step: MessageReader.Step
            do throws(WireError) {
                step = try reader.next(in: inbox.bytes)
            } catch {
                return end(.broken("response: \(error)"), on: loop)
            }
            inbox.consume(step.consumed)
            guard let event = step.event else { return }
            switch event {
            case .requestHead, .trailers, .body: break
            case .responseHead(let head):
                if !head.isInterim { status = head.status }
            case .end:
                // The response to a rejected CONNECT is the load's response.
                guard stage == .tunnel, status == 200 else { return end(.answered(status: status), on: loop) }
                shakeHands(on: loop)
            }
        }
    }
}
