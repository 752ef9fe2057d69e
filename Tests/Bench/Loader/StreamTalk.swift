import Bytes
import HTTP2Engine
import HTTPWire
import NetLoop

/// HTTP/2 on one connection: one stream after the other, without a socket.
final class StreamTalk {
    /// The bytes to send.
    let frames = ByteQueue()
    private let machine: HTTP2Machine
    private let request: HTTP2Request
    private var answer = Answer()
    private var outcome: Outcome?

    /// The outcome of the stream.
    enum Outcome {
        case answered(Answer)
        case broken(String)
    }

    init(_ request: HTTP2Request) throws(HTTP2Failure) {
        self.request = request
        machine = try HTTP2Machine(role: .origin)
    }

    /// Opens a stream; if that is not possible, the outcome contains the reason.
    func ask() {
        answer = Answer()
        if machine.open(request, handler: self) == nil { outcome = .broken("a stream cannot be opened") }
        machine.write(to: frames, upTo: .max)
    }

    func receive(_ bytes: UnsafeRawBufferPointer) {
        machine.ticks = EventLoop.monotonicNanoseconds() / 1_000
        machine.receive(bytes)
        machine.write(to: frames, upTo: .max)
    }

    /// Returns the outcome of the stream once.
    func takeOutcome() -> Outcome? {
        defer { outcome = nil }
        return outcome
    }
}

extension StreamTalk: HTTP2StreamHandler {
    func answered(_ head: ResponseHead, endsStream: Bool, on stream: HTTP2Stream) {
        if !head.isInterim { answer.status = head.status }
    }

    func received(_ bytes: UnsafeRawBufferPointer, on stream: HTTP2Stream) {
        answer.bodyBytes += Int64(bytes.count)
        stream.consume(bytes.count)
    }

    func ended(_ stream: HTTP2Stream, trailers: FieldBlock?) {}

    func drained(_ count: Int, from stream: HTTP2Stream) {}

    func closed(_ stream: HTTP2Stream, _ end: HTTP2StreamEnd) {
        switch end {
        case .done:
            answer.isPersistent = machine.state == .alive
            outcome = .answered(answer)
        case .reset, .refused, .lost: outcome = .broken("stream: \(end), connection: \(machine.state)")
        }
    }
}
