import Bytes
import NetLoop

/// Says one thing to the first bytes that come, whatever they are, and finishes.
final class RudeConnection: StreamHandler {
    private let answer: String
    private var hasAnswered = false
    private var timer: LoopTimer?

    init(_ stream: ByteStream, answer: String, on loop: isolated EventLoop) {
        self.answer = answer
        timer = LoopTimer { [weak stream] in stream?.close(on: loop) }
        timer?.arm(after: .seconds(Self.patienceSeconds), on: loop)
    }

    func received(_ bytes: UnsafeRawBufferPointer, from stream: ByteStream, on loop: isolated EventLoop) {
        guard !hasAnswered else { return }
        hasAnswered = true
        stream.outbox.append(answer)
        // FIN, not a close: closing with a hello half read would reset the connection and could lose the answer.
        stream.finishWriting(on: loop)
    }

    func ended(_ stream: ByteStream, on loop: isolated EventLoop) { stream.close(on: loop) }

    func failed(_ stream: ByteStream, errno: Int32, on loop: isolated EventLoop) {}

    func drained(_ stream: ByteStream, on loop: isolated EventLoop) {}

    /// Longest life of a connection.
    private static let patienceSeconds = 10
}
