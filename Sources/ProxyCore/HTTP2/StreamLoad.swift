import ATSPolicy
import Bytes
import HTTP2Engine
import HTTPWire
import OriginHandshake
import Records

/// One load of an HTTP/2 client: its stream on one side, a stream or a whole connection of the origin on the other.
///
/// Bytes from one side open its window again only after they were written to the other side.
final class StreamLoad {
    /// The origin's side of a load.
    enum Carrier {
        case none
        case stream(HTTP2Stream, OriginLink)
        /// An HTTP/1.1 connection, translated.
        case bridge(HTTP1Bridge)
    }

    let load: Load
    let request: HTTP2Request
    /// The client's stream.
    let client: HTTP2Stream
    private(set) var carrier = Carrier.none
    /// The index among the loads of its multiplexer.
    var index = 0
    /// Monotonic time of the last progress, in microseconds.
    private(set) var movedTicks: Int64
    /// The response's head ended the stream, so there is no body.
    private var answeredWhole = false
    /// The code to reset the client's stream with after its queued data was sent.
    private var cutCode: HTTP2ErrorCode?
    /// Body bytes that arrived before there was a carrier; the stream's window limits them.
    private var early: ByteQueue?
    private let links: StreamLinks
    private let whenClosed: (StreamLoad, HTTP2StreamEnd) -> Void

    /// - Parameter whenClosed: runs when the client's stream has ended.
    init(
        _ load: Load, _ request: HTTP2Request, on stream: HTTP2Stream, links: StreamLinks,
        whenClosed: @escaping (StreamLoad, HTTP2StreamEnd) -> Void
    ) {
        self.load = load
        self.request = request
        client = stream
        self.links = links
        self.whenClosed = whenClosed
        movedTicks = load.started.ticks
        if request.endsStream { load.finishRequest(trailers: nil) }
    }

    var context: SessionContext { links.context }

    var link: OriginLink? {
        switch carrier {
        case .none: nil
        case .stream(_, let link): link
        case .bridge(let bridge): bridge.link
        }
    }

    /// True if the request can be sent again unchanged.
    var isRepeatable: Bool { request.endsStream && request.head.framing == .none && load.status == nil }

    /// True if the request is complete, and no response has begun.
    var isAsked: Bool { load.requestIsWhole && load.status == nil }

    /// True if the origin, not the client, causes a stall.
    var waitsForOrigin: Bool { isAsked || client.queuedBytes == 0 && load.requestIsWhole }

    func noteMove() { movedTicks = context.now.ticks }

    // MARK: The request

    /// Starts the load on a carrier, beginning with the body bytes that arrived early.
    func begin(on carrier: Carrier) {
        self.carrier = carrier
        if let early = takeEarly() {
            passRequestBody(early.bytes)
        }
        if load.requestIsWhole, !request.endsStream { endRequest() }
    }

    /// Detaches the load from its carrier.
    func leaveCarrier() { carrier = .none }

    private func passRequestBody(_ bytes: UnsafeRawBufferPointer) {
        switch carrier {
        case .none where load.answerIsWhole: client.consume(bytes.count)
        case .none:
            let queue = early ?? ByteQueue()
            early = queue
            links.earlyBytes += bytes.count
            queue.append(bytes)
        case .stream(let stream, _):
            load.bytesSent += Int64(bytes.count)
            stream.send(bytes)
        case .bridge(let bridge): bridge.sendBody(bytes)
        }
    }

    /// Ends the request on its carrier.
    private func endRequest() {
        switch carrier {
        case .none: return
        case .stream(let stream, _): stream.finish(trailers: load.requestTrailers)
        case .bridge(let bridge): bridge.endBody()
        }
    }

    /// Discards the rest of a request that has a complete answer, and resets the stream after the answer was sent.
    /// Source: RFC 9113 section 8.1.
    func stopRequest() {
        _ = takeEarly()
        if !load.requestIsWhole { client.reset(.noError) }
    }

    /// Body bytes that no carrier has taken yet; they no longer count as held.
    private func takeEarly() -> ByteQueue? {
        let queue = early
        links.earlyBytes -= queue?.count ?? 0
        early = nil
        return queue
    }

    /// The client's stream is over.
    func forgetEarly() { _ = takeEarly() }

    // MARK: The answer

    /// Passes the head of the origin's answer to the client.
    func answerBegan(_ head: ResponseHead, endsStream: Bool) {
        var head = head
        head.fields = load.passed(head.fields, in: context)
        noteMove()
        load.noteHead(at: context.now.ticks)
        guard !head.isInterim else { return client.answer(head, endsStream: false) }
        load.beginAnswer(status: head.status)
        answeredWhole = endsStream
        context.loop.redirects.note(head, of: load, in: context)
        client.answer(head, endsStream: endsStream)
    }

    func answerEnded(trailers: FieldBlock?) {
        load.finishAnswer()
        if !answeredWhole { client.finish(trailers: trailers) }
    }

    /// Answers with one of the gate's own pages.
    func answer(_ page: GatePage) {
        load.beginAnswer(status: page.status)
        load.finishAnswer()
        let withBody = request.head.method != .head
        client.answer(page.head, endsStream: !withBody)
        if withBody {
            Array(page.body.utf8).withUnsafeBytes { client.send($0) }
            client.finish(trailers: nil)
        }
        stopRequest()
    }

    /// Answers a blocked load.
    func refuse(_ diagnosis: RecordedDiagnosis, origin: RecordedOrigin? = nil) {
        answer(context.page(refusing: load, for: diagnosis))
        recorder.file(load, .blocked, by: .page, diagnosis: diagnosis, origin: origin)
    }

    /// Answers a request to change to a protocol that is not relayed. Source: RFC 9220 section 3.
    func refuseUpgrade() {
        answer(
            GatePage(
                status: 501, title: "Protocol not allowed",
                sentences: ["This gate relays only HTTP and WebSocket."],
                wantsJSON: request.head.wantsJSON))
        recorder.file(load, .blocked, by: .page)
    }

    /// Fails the load: sends an error page, or cuts the response if it has begun. The carrier must be released before.
    func fail(_ error: ErrorAnswer, on link: OriginLink? = nil, origin: RecordedOrigin? = nil) {
        let isBegun = load.status != nil
        if isBegun {
            cutAnswer(.internalError)
        } else {
            answer(error.page(for: request.head))
        }
        recorder.file(
            load, .failed, by: isBegun ? nil : .page, diagnosis: error.diagnosis, on: link, origin: origin)
    }

    /// Cuts an unfinished response: the client receives the queued part, then the reset. A second call resets
    /// immediately.
    func cutAnswer(_ code: HTTP2ErrorCode) {
        guard cutCode == nil, client.queuedBytes > 0 else { return client.reset(code) }
        cutCode = code
    }

    func file(_ verdict: Verdict, _ diagnosis: RecordedDiagnosis? = nil, on link: OriginLink?) {
        recorder.file(load, verdict, diagnosis: diagnosis, on: link)
    }

    private var recorder: LoadRecorder { LoadRecorder(context: context, tunnel: links.tunnel) }
}

extension StreamLoad: HTTP2StreamHandler {
    func answered(_ head: ResponseHead, endsStream: Bool, on stream: HTTP2Stream) {
        link?.noteLogin(in: head.fields)
        answerBegan(head, endsStream: endsStream)
    }

    func received(_ bytes: UnsafeRawBufferPointer, on stream: HTTP2Stream) {
        noteMove()
        if stream === client { return passRequestBody(bytes) }
        load.bytesReceived += Int64(bytes.count)
        client.send(bytes)
    }

    func ended(_ stream: HTTP2Stream, trailers: FieldBlock?) {
        noteMove()
        guard stream === client else { return answerEnded(trailers: trailers.map { load.passed($0, in: context) }) }
        if load.finishRequest(trailers: trailers) { endRequest() }
    }

    func drained(_ count: Int, from stream: HTTP2Stream) {
        noteMove()
        guard stream === client else { return client.consume(count) }
        if client.queuedBytes == 0, let cutCode { return client.reset(cutCode) }
        switch carrier {
        case .none: return
        case .stream(let origin, _): origin.consume(count)
        case .bridge(let bridge): bridge.clientTookAnswer()
        }
    }

    func closed(_ stream: HTTP2Stream, _ end: HTTP2StreamEnd) {
        if stream === client { whenClosed(self, end) } else { links.streamClosed(self, end) }
    }
}

extension StreamLoad {
    /// The next step of a load after it was ruled on again, or after its origin's stream ended.
    enum Outcome {
        /// None: the load has its response or its record.
        case settled
        /// It needs a link.
        case wantsLink
    }

    /// Rules again on a queued load if the policy has changed; a blocked load is answered here.
    func readmit(in tunnel: Tunnel) -> Outcome {
        switch context.readmit(load, in: tunnel) {
        case .carry, nil: return .wantsLink
        case .refuse(let diagnosis): refuse(diagnosis)
        case .fail(let answer): fail(answer)
        }
        return .settled
    }

    /// Fails a load because of its origin's handshake.
    func refuse(_ origin: MetOrigin, _ failure: LoadFailure) {
        let diagnosis = context.diagnosis(of: origin, under: load.ruled, path: load.pathText)
        guard failure.verdict != .blocked else { return refuse(diagnosis, origin: origin.recorded) }
        fail(.brokenHandshake(failure, diagnosis), origin: origin.recorded)
    }

    /// Handles the end of the origin's stream: the load is complete, fails, or is sent again.
    func originStreamEnded(_ end: HTTP2StreamEnd) -> Outcome {
        guard case .stream(let stream, let link) = carrier else { return .settled }
        leaveCarrier()
        if load.answerIsWhole {
            file(load.passVerdict, on: link)
            stopRequest()
            return .settled
        }
        if isRepeatable, takeRetry(after: end, of: stream, link) { return .wantsLink }
        switch end {
        case .lost:
            if case .failed(let failure)? = link.http2?.state {
                fail(context.malformed(.brokenAnswers(failure), load, on: link), on: link)
            } else {
                fail(context.lost(load, on: link, reset: true))
            }
        case .done: fail(context.lost(load, on: link, reset: false))
        case .refused: mirrorReset(HTTP2ErrorCode.refusedStream.rawValue, on: link)
        case .reset(let code): mirrorReset(code, on: link)
        }
        return .settled
    }

    /// Returns true if the load may be sent again, because the origin has not processed it. Each load gets one retry.
    /// Loads above the last stream of a GOAWAY do not use it up: each new connection serves some of them. Source: RFC
    /// 9113 sections 6.8 and 8.7.
    private func takeRetry(after end: HTTP2StreamEnd, of stream: HTTP2Stream, _ link: OriginLink) -> Bool {
        if end == .refused, let last = link.http2?.peerLastStream, last > 0, stream.id > last { return true }
        return load.takeRetry(if: end == .refused || (end == .lost && load.mayRetry))
    }

    /// Resets the client's stream with the origin's error code.
    private func mirrorReset(_ code: UInt32, on link: OriginLink) {
        cutAnswer(HTTP2ErrorCode(rawValue: code) ?? .internalError)
        file(.failed, context.reset(load, code: code, on: link), on: link)
    }
}

/// The loads of an HTTP/2 client whose streams are still open.
final class StreamLoads {
    // Unchecked: adding and removing loads by index calls no other code.
    @exclusivity(unchecked) private(set) var all: [StreamLoad] = []

    var isEmpty: Bool { all.isEmpty }

    func add(_ load: StreamLoad) {
        load.index = all.count
        all.append(load)
    }

    /// Removes and returns all loads. Each refers to this list by its links, so one left in it would never be freed.
    func takeAll() -> [StreamLoad] {
        defer { all = [] }
        return all
    }

    /// Removes a load by moving the last one to its index, in constant time.
    func remove(_ load: StreamLoad) {
        guard load.index < all.count, all[load.index] === load else { return }
        let last = all.removeLast()
        if last !== load {
            last.index = load.index
            all[last.index] = last
        }
    }
}
