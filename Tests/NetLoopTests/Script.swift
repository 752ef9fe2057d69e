import Bytes
import NetLoop
import TestSupport

/// A stream handler made of closures.
final class Script: StreamHandler {
    typealias OnBytes = @Sendable (UnsafeRawBufferPointer, ByteStream, isolated EventLoop) -> Void
    typealias OnEvent = @Sendable (ByteStream, isolated EventLoop) -> Void
    typealias OnFailure = @Sendable (ByteStream, Int32, isolated EventLoop) -> Void

    private let onBytes: OnBytes
    private let onEnd: OnEvent
    private let onFailure: OnFailure
    private let onDrain: OnEvent

    init(
        bytes: @escaping OnBytes = { _, _, _ in }, end: @escaping OnEvent = { $0.close(on: $1) },
        failure: @escaping OnFailure = { _, _, _ in }, drain: @escaping OnEvent = { _, _ in }
    ) {
        onBytes = bytes
        onEnd = end
        onFailure = failure
        onDrain = drain
    }

    func received(_ bytes: UnsafeRawBufferPointer, from stream: ByteStream, on loop: isolated EventLoop) {
        onBytes(bytes, stream, loop)
    }

    func ended(_ stream: ByteStream, on loop: isolated EventLoop) { onEnd(stream, loop) }

    func failed(_ stream: ByteStream, errno: Int32, on loop: isolated EventLoop) { onFailure(stream, errno, loop) }

    func drained(_ stream: ByteStream, on loop: isolated EventLoop) { onDrain(stream, loop) }
}

/// Echoes all bytes and stops reading while its outbox is stuck, like a relay.
final class Echo: StreamHandler {
    private let stuck: Fact<Bool>?
    private(set) var longestOutbox = 0
    private let longest: Fact<Int>?

    init(stuck: Fact<Bool>? = nil, longest: Fact<Int>? = nil) {
        self.stuck = stuck
        self.longest = longest
    }

    func received(_ bytes: UnsafeRawBufferPointer, from stream: ByteStream, on loop: isolated EventLoop) {
        stream.outbox.append(bytes)
        stream.flush(on: loop)
        longestOutbox = max(longestOutbox, stream.outbox.count)
        if stream.isWriteBlocked, stream.outbox.count >= ByteStream.lowWater {
            stuck?.set()
            stream.pauseReading(on: loop)
        }
    }

    func ended(_ stream: ByteStream, on loop: isolated EventLoop) {
        longest?.set(longestOutbox)
        stream.finishWriting(on: loop)
    }

    func failed(_ stream: ByteStream, errno: Int32, on loop: isolated EventLoop) {}

    func drained(_ stream: ByteStream, on loop: isolated EventLoop) {
        stream.resumeReading(on: loop)
    }
}

extension EventLoop {
    /// Creates a stream on this loop, attaches it, and calls `then`.
    nonisolated func open(
        _ descriptor: Int32, _ handler: @escaping @Sendable () -> any StreamHandler,
        then: @escaping Script.OnEvent = { _, _ in }
    ) {
        submit { loop in
            let stream = ByteStream(descriptor: descriptor, handler: handler())
            do {
                try stream.attach(to: loop)
                then(stream, loop)
            } catch {
                stream.close(on: loop)
            }
        }
    }
}
