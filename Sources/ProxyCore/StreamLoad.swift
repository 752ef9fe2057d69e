import ATSPolicy
import Bytes
import HTTP2Engine
import HTTPWire
import Records

/// One load of an HTTP/2 client: its stream on one side, a stream or a whole connection of the origin on the other.
///
/// Bytes that one side sent count as taken, and its window is opened again, when they have left for the other side.
final class StreamLoad {
    /// What carries a load to its origin.
    enum Lane {
        case none
        case stream(HTTP2Stream, OriginLink)
        /// An HTTP/1.1 connection, translated.
        case line(OriginLink)
    }

    let exchange: Exchange
    let request: HTTP2Request
    /// The client's.
    let client: HTTP2Stream
    var lane = Lane.none
    /// Place among the loads of its switchboard.
    var index = 0
    /// Microseconds on the clock that never steps at which something last moved.
    var movedTicks: Int64
    /// The answer's head said that there is no body.
    var answeredWhole = false
    /// How the client's stream ends once what came for it is in frames.
    private var cutCode: HTTP2ErrorCode?
    var isRecorded = false
    /// Bytes of the client that went to an HTTP/1.1 link and are still in its outbox.
    var owedToClient = 0
    /// Body bytes that came before there was a lane; the stream's window bounds them.
    private(set) var early: ByteQueue?
    private unowned let session: ProxySession

    init(_ request: HTTP2Request, on stream: HTTP2Stream, exchange: Exchange, session: ProxySession) {
        self.request = request
        client = stream
        self.exchange = exchange
        self.session = session
        movedTicks = exchange.started.ticks
        exchange.requestIsDone = request.endsStream
    }

    var link: OriginLink? {
        switch lane {
        case .none: nil
        case .stream(_, let link), .line(let link): link
        }
    }

    /// A request that can be sent again as it was.
    var isWhole: Bool { request.endsStream && request.head.framing == .none && exchange.status == nil }

    private func keep(_ bytes: UnsafeRawBufferPointer) {
        let queue = early ?? ByteQueue()
        early = queue
        queue.append(bytes)
    }

    /// What came early goes to the lane that there is now.
    func releaseEarly() {
        guard let early else { return }
        self.early = nil
        passRequestBody(early.bytes)
    }

    private func passRequestBody(_ bytes: UnsafeRawBufferPointer) {
        switch lane {
        case .none where exchange.answerIsDone: client.consume(bytes.count)
        case .none: keep(bytes)
        case .stream(let stream, _):
            exchange.bytesSent += Int64(bytes.count)
            stream.send(bytes)
        case .line(let link):
            exchange.bytesSent += Int64(bytes.count)
            session.sendBody(bytes, of: self, on: link)
        }
    }
}

extension StreamLoad: HTTP2StreamHandler {
    func answered(_ head: ResponseHead, endsStream: Bool, on stream: HTTP2Stream) {
        session.answerBegan(self, head, endsStream: endsStream)
    }

    func received(_ bytes: UnsafeRawBufferPointer, on stream: HTTP2Stream) {
        movedTicks = session.now.ticks
        if stream === client { return passRequestBody(bytes) }
        exchange.bytesReceived += Int64(bytes.count)
        client.send(bytes)
    }

    func ended(_ stream: HTTP2Stream, trailers: FieldBlock?) {
        movedTicks = session.now.ticks
        guard stream === client else {
            exchange.answerIsDone = true
            if !answeredWhole { client.finish(trailers: trailers) }
            return
        }
        guard !exchange.requestIsDone else { return }
        exchange.requestIsDone = true
        exchange.requestTrailers = trailers
        endRequest()
    }

    /// Nobody wants the rest of a request that has its whole answer: what still comes is thrown away, and once the
    /// answer has left, the client is told. Source: RFC 9113 section 8.1.
    func stopRequest() {
        early = nil
        if !exchange.requestIsDone { client.reset(.noError) }
    }

    /// The answer ends here, unfinished: the client gets what there is of it, then the reset. Told again, at once.
    func cutAnswer(_ code: HTTP2ErrorCode) {
        guard cutCode == nil, client.queuedBytes > 0 else { return client.reset(code) }
        cutCode = code
    }

    /// The client has said all; so has whatever carries it.
    func endRequest() {
        switch lane {
        case .none: return
        case .stream(let stream, _): stream.finish(trailers: exchange.requestTrailers)
        case .line(let link): session.endBody(of: self, on: link)
        }
    }

    func drained(_ count: Int, from stream: HTTP2Stream) {
        movedTicks = session.now.ticks
        guard stream === client else { return client.consume(count) }
        if client.queuedBytes == 0, let cutCode { return client.reset(cutCode) }
        switch lane {
        case .none: return
        case .stream(let origin, _): origin.consume(count)
        case .line(let link): session.clientTookAnswer(self, from: link)
        }
    }

    func closed(_ stream: HTTP2Stream, _ end: HTTP2StreamEnd) {
        if stream === client { session.clientStreamClosed(self, end) } else { session.originStreamClosed(self, end) }
    }
}
