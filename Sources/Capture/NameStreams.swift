import Bytes
import Dispatch
import NetLoop
import Synchronization

/// DNS over TCP: each message follows its length. Source: RFC 1035 section 4.2.2, RFC 7766.
final class NameStreams: Sendable {
    private let listeners: [Listener]
    private let loop: EventLoop

    init(_ places: [CaptureSpace.Endpoint], _ handed: InheritedSockets, _ answerer: NameAnswerer) throws(NetError) {
        loop = try EventLoop(index: 0, quality: .utility)
        var listeners: [Listener] = []
        for place in places { listeners.append(try Listener.open(host: place.host, port: place.port, handed: handed)) }
        self.listeners = listeners
        let own = LoopLocal<OpenStreams>(loop)
        loop.submit { loop in own.place(OpenStreams(), on: loop) }
        for listener in listeners {
            listener.start(loops: [loop]) { descriptor, peer, loop in
                // Without an `OpenStreams` the stream is released, which closes it.
                let stream = ByteStream(descriptor: descriptor, handler: nil, peerAddress: peer)
                own.value(on: loop)?.admit(stream, answerer, on: loop)
            }
        }
    }

    func stop() {
        for listener in listeners { listener.stop() }
        loop.stop()
    }
}

/// The open connections, the oldest first. A new one above the limit closes the oldest.
private final class OpenStreams {
    private var streams: [ByteStream] = []

    func admit(_ stream: ByteStream, _ answerer: NameAnswerer, on loop: isolated EventLoop) {
        streams.removeAll { !$0.isOpen }
        if streams.count >= Self.most { streams.removeFirst().abort(on: loop) }
        stream.handler = NameStream(answerer, loop)
        guard (try? stream.attach(to: loop)) != nil else { return }
        streams.append(stream)
    }

    private static let most = 64
}

/// One connection with its questions.
private final class NameStream: StreamHandler {
    private let answerer: NameAnswerer
    private let inbox = ByteQueue()
    private let own: LoopLocal<ByteStream>

    init(_ answerer: NameAnswerer, _ loop: EventLoop) {
        self.answerer = answerer
        own = LoopLocal(loop)
    }

    func received(_ bytes: UnsafeRawBufferPointer, from stream: ByteStream, on loop: isolated EventLoop) {
        inbox.append(bytes)
        own.place(stream, on: loop)
        while inbox.count >= 2, stream.isOpen {
            let length = ByteView(inbox.bytes).number16(at: 0)
            // No real client has so many unread answers, or such long questions.
            guard length <= Self.longestQuestion, stream.waitingBytes <= Self.longestQuestion * 16 else {
                return stream.abort(on: loop)
            }
            guard inbox.count >= 2 + length else { return }
            let message = Array(ByteView(inbox.bytes).slice(2..<(2 + length)))
            inbox.consume(2 + length)
            ask(message, loop)
        }
    }

    private func ask(_ message: [UInt8], _ loop: EventLoop) {
        let own = own
        answerer.take(message) { bytes in
            loop.submit { loop in
                guard let stream = own.value(on: loop), stream.isOpen else { return }
                stream.outbox.append([UInt8(bytes.count >> 8), UInt8(bytes.count & 0xFF)] + bytes)
                stream.flush(on: loop)
            }
        }
    }

    func ended(_ stream: ByteStream, on loop: isolated EventLoop) { stream.close(on: loop) }
    func failed(_ stream: ByteStream, errno: Int32, on loop: isolated EventLoop) { own.place(nil, on: loop) }
    func drained(_ stream: ByteStream, on loop: isolated EventLoop) {}

    private static let longestQuestion = 4_096
}
