import Bytes
import NetLoop
import TLSEngine

/// One connection of an origin: carries bytes between a socket, its TLS machine if it has one, and a conversation.
final class LabConnection: StreamHandler {
    private let stream: ByteStream
    private let machine: TLSMachine?
    private var conversation: Conversation
    /// The client's decrypted bytes.
    private let inbox = ByteQueue()
    /// The bytes to encrypt; without TLS the stream's own outbox.
    private let plaintext: ByteQueue
    private var timer: LoopTimer?
    private var clientHasEnded = false
    private var isLeaving = false
    /// Bytes written when the last linger began.
    private var writtenBefore: Int64 = -1

    /// - Parameter machine: writes to the stream's outbox; nil for cleartext.
    init(_ stream: ByteStream, machine: TLSMachine?, site: Site, on loop: isolated EventLoop) {
        self.stream = stream
        self.machine = machine
        conversation = Conversation(site: site)
        plaintext = machine == nil ? stream.outbox : ByteQueue()
        timer = LoopTimer { [weak self] in self?.timerFired(on: loop) }
        timer?.arm(after: .seconds(Self.idleSeconds), on: loop)
    }

    func received(_ bytes: UnsafeRawBufferPointer, from stream: ByteStream, on loop: isolated EventLoop) {
        guard !isLeaving else { return }
        guard let machine else {
            inbox.append(bytes)
            return proceed(on: loop)
        }
        machine.receive(bytes, plaintext: inbox)
        stream.flush(on: loop)
        switch machine.state {
        case .handshaking, .helloHeld: break
        case .established: proceed(on: loop)
        case .closed:
            clientHasEnded = true
            proceed(on: loop)
        case .failed: leave(on: loop)
        }
    }

    func ended(_ stream: ByteStream, on loop: isolated EventLoop) {
        clientHasEnded = true
        machine?.inputEnded(reset: false)
        leave(on: loop)
    }

    func failed(_ stream: ByteStream, errno: Int32, on loop: isolated EventLoop) {
        timer?.cancel()
    }

    func drained(_ stream: ByteStream, on loop: isolated EventLoop) {
        if !isLeaving { proceed(on: loop) }
    }

    /// Advances the conversation until it has to wait.
    private func proceed(on loop: isolated EventLoop) {
        for _ in 0..<Self.pagesPerTurn {
            let want = conversation.advance(inbox, plaintext)
            sendOutput(on: loop)
            switch want {
            case .bytes:
                if clientHasEnded { return leave(on: loop) }
                stream.resumeReading(on: loop)
                timer?.arm(after: .seconds(Self.idleSeconds), on: loop)
                return
            case .time(let delay):
                stream.pauseReading(on: loop)
                timer?.arm(after: delay, on: loop)
                return
            case .room:
                stream.pauseReading(on: loop)
                timer?.cancel()
                // `drained` continues.
                if stream.isWriteBlocked, stream.outbox.count >= Self.highWater { return }
            case .end:
                return leave(on: loop)
            }
        }
        // A client that reads faster than we write must not starve others: continue after they had a turn.
        timer?.arm(after: .zero, on: loop)
    }

    private func sendOutput(on loop: isolated EventLoop) {
        if let machine, !plaintext.isEmpty {
            machine.send(plaintext.bytes)
            plaintext.removeAll()
        }
        stream.flush(on: loop)
    }

    /// Ends our side and waits for the client to end its own, so that a reset does not discard the response.
    private func leave(on loop: isolated EventLoop) {
        if !isLeaving {
            isLeaving = true
            machine?.sendClose()
            stream.finishWriting(on: loop)
            stream.resumeReading(on: loop)
        }
        if clientHasEnded, stream.outbox.isEmpty { return stream.close(on: loop) }
        linger(on: loop)
    }

    private func timerFired(on loop: isolated EventLoop) {
        if isLeaving { return linger(on: loop) }
        guard stream.isReadingPaused else { return leave(on: loop) }
        conversation.timePassed(plaintext)
        proceed(on: loop)
    }

    /// Waits as long as bytes of the response are being written.
    private func linger(on loop: isolated EventLoop) {
        guard stream.bytesWritten != writtenBefore else { return stream.close(on: loop) }
        writtenBefore = stream.bytesWritten
        timer?.arm(after: .seconds(Self.lingerSeconds), on: loop)
    }

    /// The longest time without bytes from a client, between and within requests.
    private static let idleSeconds = 120
    private static let lingerSeconds = 5
    /// Bytes in the outbox at which a body pauses.
    private static let highWater = 4 * ByteStream.lowWater
    /// 16 MiB.
    private static let pagesPerTurn = 256
}
