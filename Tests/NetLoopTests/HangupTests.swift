import Bytes
import CPoll
import NetLoop
import TestSupport
import Testing

/// A peer that has finished writing and still reads.
@Suite struct HangupTests {
    /// One batch reports that a peer has finished writing, after an earlier report of the batch filled that peer's
    /// stream. Reading is no longer watched then, and the report must not be taken for the end of both directions.
    @Test func finishedPeerIsStillWrittenToWhileItsStreamIsFull() async throws {
        let (paused, trigger) = (try Pair(), try Pair())
        let loop = try EventLoop(index: 0)
        let heard = Fact<Int64>()
        loop.submit { loop in
            let stream = ByteStream(
                descriptor: paused.far,
                handler: Script(failure: { _, errno, _ in Issue.record("broken by \(errno)") }))
            try? stream.attach(to: loop)
            stream.pauseReading(on: loop)
            let other = ByteStream(
                descriptor: trigger.far, handler: Answerer(to: stream, over: paused.near, heard: heard))
            try? other.attach(to: loop)
            // Both reports are pending before the loop polls, in this order.
            #expect(cpoll_write(trigger.near, "go", 2) == 2)
            #expect(cpoll_write(paused.near, "last", 4) == 4)
            #expect(cpoll_finish_writing(paused.near) == 0)
        }
        #expect(try await heard.value() == Int64(Answerer.answer.count))
        loop.stop()
        close(trigger.near)
    }
}

/// Writes more to a stream than its socket accepts, and then starts to read at the other end.
private final class Answerer: StreamHandler {
    static let answer = [UInt8](repeating: 97, count: 16 << 20)

    private let stream: ByteStream
    private let peer: Int32
    private let heard: Fact<Int64>

    init(to stream: ByteStream, over peer: Int32, heard: Fact<Int64>) {
        self.stream = stream
        self.peer = peer
        self.heard = heard
    }

    func received(_ bytes: UnsafeRawBufferPointer, from _: ByteStream, on loop: isolated EventLoop) {
        stream.outbox.append(Self.answer)
        stream.finishWriting(on: loop)
        let heard = heard
        let reader = ByteStream(
            descriptor: peer,
            handler: Script(
                end: { reader, loop in
                    heard.set(reader.bytesRead)
                    reader.close(on: loop)
                },
                failure: { reader, _, _ in heard.set(reader.bytesRead) }))
        try? reader.attach(to: loop)
    }

    func ended(_ stream: ByteStream, on loop: isolated EventLoop) {}
    func failed(_ stream: ByteStream, errno: Int32, on loop: isolated EventLoop) {}
    func drained(_ stream: ByteStream, on loop: isolated EventLoop) {}
}
