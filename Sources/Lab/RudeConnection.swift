import Bytes
import NetLoop

/// Answers the first bytes of a client with fixed bytes and ends; or never answers.
final class RudeConnection: StreamHandler {
    private let answer: [UInt8]?
    private var hasAnswered = false
    private var timer: LoopTimer?

    /// - Parameter answer: nil keeps the connection open and silent.
    init(_ stream: ByteStream, answer: [UInt8]?, on loop: isolated EventLoop) {
        self.answer = answer
        timer = LoopTimer { [weak stream] in stream?.close(on: loop) }
        timer?.arm(after: .seconds(answer == nil ? Self.silenceSeconds : Self.patienceSeconds), on: loop)
    }

    func received(_ bytes: UnsafeRawBufferPointer, from stream: ByteStream, on loop: isolated EventLoop) {
        guard let answer, !hasAnswered else { return }
        hasAnswered = true
        stream.outbox.append(answer)
        // FIN instead of closing: with a hello half read, closing would reset the connection and could lose the answer.
        stream.finishWriting(on: loop)
    }

    func ended(_ stream: ByteStream, on loop: isolated EventLoop) { stream.close(on: loop) }

    func failed(_ stream: ByteStream, errno: Int32, on loop: isolated EventLoop) {}

    func drained(_ stream: ByteStream, on loop: isolated EventLoop) {}

    /// The longest life of a connection after its start, if it is answered.
    private static let patienceSeconds = 10
    /// Longer than clients wait: 60 seconds is URLSession's own timeout (timeoutIntervalForRequest).
    private static let silenceSeconds = 180
}
