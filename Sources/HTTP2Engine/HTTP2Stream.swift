internal import Bytes
public import HTTPWire

/// One request and its response. Belongs to its machine; after ``HTTP2StreamHandler/closed(_:_:)`` it does nothing.
public final class HTTP2Stream {
    // Unchecked: each is loaded or stored as a whole, and a handler is called after it was loaded.
    @exclusivity(unchecked) public internal(set) var id: Int32
    /// Released once the stream is closed.
    @exclusivity(unchecked) public var handler: (any HTTP2StreamHandler)?
    public var isClosed: Bool { machine == nil }
    /// True if the streams of its connection hold so much that none should queue more.
    public var isShortOfMemory: Bool { machine?.memory.isShort == true }
    /// Bytes that were sent but are not in frames yet, including those of heads.
    public var queuedBytes: Int { queue.count &+ queuedHeadBytes }
    /// The peer's error for which we reset the stream; nil if there is none.
    @exclusivity(unchecked) public internal(set) var fault: HTTP2MessageFault?

    /// nil once the stream is closed. Safe without counting: before a machine is freed, it clears this in all its
    /// streams.
    unowned(unsafe) var machine: HTTP2Machine?
    /// Index of this stream in the machine's list.
    var slot = 0
    /// Origin role: the kind of request.
    var requestKind = ResponseHead.Answering.other
    /// Client role: the request, until its handler gets it.
    var unopened: HTTP2Request?
    /// The peer's body.
    var incoming = IncomingBody()
    /// Origin role: the interim heads of the answer so far.
    var interim = InterimCount()
    /// True once the head that precedes a body was received; another one is trailers.
    var hasFinalHead = false
    /// The side that reset the stream; nil if it was not reset.
    var cut: Cut?

    /// Bytes of the peer's body whose share of the connection's window was not returned yet.
    var heldWindowBytes = 0
    /// Client role: bytes of the request's head, counted in ``HTTP2Memory/headBytes``.
    var headBytes = 0
    var windowGrowth: WindowGrowth
    private let queue = ByteQueue()
    /// Bytes of each queued head in order, and their sum.
    // Unchecked: a list of numbers; no other code runs while one is added or removed.
    @exclusivity(unchecked) private var queuedHeads: [Int] = []
    private var queuedHeadBytes = 0
    private var outgoing = Outgoing.open
    /// True if the stream is reset once our half is sent.
    private var isResetLate = false
    /// True if nghttp2 found no bytes and must be notified of new ones.
    private var isWaited = false

    enum Cut {
        case byPeer
        case byUs(HTTP2ErrorCode)
    }

    private enum Outgoing {
        case open
        case finished(trailers: FieldBlock?)
        /// Accepts nothing more: the end is in frames, or the stream was reset.
        case over
    }

    init(id: Int32, handler: (any HTTP2StreamHandler)?, machine: HTTP2Machine) {
        self.id = id
        self.handler = handler
        self.machine = machine
        let limits = machine.limits
        windowGrowth = WindowGrowth(bytes: limits.streamWindowBytes, widest: limits.widestStreamWindow)
    }

    /// Client role: sends a head; interim ones (1xx) may come before the final one.
    public func answer(_ head: ResponseHead, endsStream: Bool) {
        guard cut == nil, let machine else { return }
        if endsStream, head.status >= 200 { outgoing = .over }
        machine.writer.queue(head, endsStream: endsStream, on: self)
    }

    /// Queues a piece of body; it goes into frames as the peer's windows allow.
    public func send(_ bytes: UnsafeRawBufferPointer) {
        guard machine != nil, case .open = outgoing, cut == nil else { return }
        queue.append(bytes)
        machine?.memory.queuedBytes += bytes.count
        wake()
    }

    /// Ends our half after the queued bytes. Drops fields that are not allowed in trailers.
    public func finish(trailers: FieldBlock? = nil) {
        guard machine != nil, case .open = outgoing, cut == nil else { return }
        outgoing = .finished(trailers: trailers)
        wake()
    }

    /// Resets the stream; ``HTTP2StreamHandler/closed(_:_:)`` follows once RST_STREAM is written.
    ///
    /// With `noError` after the end of our half, all of that half is sent first: the rest of the request is not needed,
    /// but its answer is valid (RFC 9113 section 8.1).
    public func reset(_ code: HTTP2ErrorCode) {
        guard cut == nil, let machine else { return }
        if code == .noError, !isResetLate, hasEnded, !machine.session.hasSentEnd(of: id) {
            machine.hasLateResets = true
            isResetLate = true
            return
        }
        cut = .byUs(code)
        outgoing = .over
        dropQueue()
        machine.session.reset(id, code)
    }

    /// Returns `count` received bytes to the stream's window. The connection's window has them already.
    public func consume(_ count: Int) {
        guard count > 0, let machine else { return }
        machine.memory.take(count, from: self)
    }

    private func dropQueue() {
        machine?.memory.queuedBytes -= queue.count
        queue.removeAll()
    }

    private var hasEnded: Bool {
        if case .open = outgoing { false } else { true }
    }

    /// Handles our END_STREAM when it was sent.
    func noteEndSent() {
        if isResetLate { reset(.noError) }
    }

    /// Ends our half, which needs no body.
    func finishAtOnce() { outgoing = .over }

    /// Releases everything; the stream is closed.
    func forget() {
        dropQueue()
        machine?.memory.headBytes -= headBytes
        headBytes = 0
        if machine?.isOpen == true { machine?.memory.forget(self) }
        machine = nil
        outgoing = .over
        queuedHeads = []
        queuedHeadBytes = 0
        unopened = nil
        handler = nil
    }

    /// Counts a head that waits in nghttp2.
    func noteHeadQueued(_ bytes: Int) {
        queuedHeads.append(bytes)
        queuedHeadBytes &+= bytes
    }

    /// Removes the oldest waiting head, which is in frames now; false if none was waiting.
    func noteHeadSent() -> Bool {
        guard !queuedHeads.isEmpty else { return false }
        queuedHeadBytes &-= queuedHeads.removeFirst()
        return true
    }

    private func wake() {
        guard isWaited else { return }
        isWaited = false
        machine?.session.resume(id)
    }
}

/// The content for one DATA frame.
enum BodyPiece {
    case bytes(Int, isLast: Bool)
    case nothingYet
}

extension HTTP2Stream {
    /// Moves as many queued bytes as fit into `room`.
    func fill(_ room: UnsafeMutableRawBufferPointer) -> BodyPiece {
        let count = min(room.count, queue.count)
        if count > 0 {
            room.copyMemory(from: ByteView(queue.bytes).slice(upTo: count))
            queue.consume(count)
            machine?.memory.queuedBytes -= count
            machine?.drained.note(count, from: self)
        }
        if case .finished = outgoing, queue.isEmpty { return .bytes(count, isLast: true) }
        if count > 0 { return .bytes(count, isLast: false) }
        isWaited = true
        return .nothingYet
    }

    /// Queues the trailers; false if there are none.
    func submitTrailers() -> Bool {
        guard case .finished(let trailers) = outgoing, let machine else { return false }
        outgoing = .over
        guard let trailers, !trailers.isEmpty else { return false }
        return machine.writer.queue(trailers: trailers, on: self)
    }
}

/// The body of an incoming message, compared with its length.
struct IncomingBody {
    /// Bytes in Content-Length; nil for any number.
    var announced: Int64?
    var received: Int64 = 0

    /// Counts body bytes; false if there are too many.
    mutating func take(_ count: Int) -> Bool {
        received += Int64(count)
        return received <= announced ?? received
    }

    var isComplete: Bool { received == announced ?? received }
}

/// The interim heads of an answer so far.
struct InterimCount {
    var heads = 0
    var bytes = 0
}

extension HTTP2Stream {
    /// Sets the expected length. Source: RFC 9113 section 8.1.1.
    func expectBody(of request: HTTP2Request) {
        if case .fixed(let length) = request.head.framing { incoming.announced = length }
    }

    /// Sets the expected length. An answer to HEAD, a 204 and a 304 have no body, even with a Content-Length; a
    /// tunnel has no length.
    func expectBody(of head: ResponseHead) {
        switch head.framing {
        case .fixed(let length): incoming.announced = requestKind == .connect ? nil : length
        case .none: incoming.announced = requestKind == .connect && head.status < 300 ? nil : 0
        case .chunked, .untilClose: incoming.announced = nil
        }
    }

    /// Counts body bytes. Returns the error, if there is one.
    func takeBody(_ count: Int) -> HTTP2MessageFault? {
        guard hasFinalHead else { return .unexpectedBody }
        guard !incoming.take(count) else { return nil }
        return incoming.announced == 0 && requestKind == .head ? .unexpectedBody : .contradictedLength
    }

    func checkEnd() throws(HTTP2MessageFault) {
        guard hasFinalHead else { throw .unexpectedBody }
        guard incoming.isComplete else { throw .contradictedLength }
    }

    func countInterim(_ bytes: Int, _ limits: HTTP2Limits) throws(HTTP2MessageFault) {
        interim.heads += 1
        interim.bytes += bytes
        guard interim.heads <= limits.interimHeads, interim.bytes <= limits.interimHeadBytes else {
            throw .tooManyInterimHeads
        }
    }

    /// Reports the end of the peer's half. A handler that has just reset the stream only gets its end.
    func end(trailers: FieldBlock? = nil) {
        guard cut == nil else { return }
        handler?.ended(self, trailers: trailers)
    }

    /// Handles RST_STREAM from the peer.
    func noteReset() {
        if cut == nil { cut = .byPeer }
    }

    /// Returns the end of this stream for the code with which nghttp2 closes it.
    func end(_ code: UInt32) -> HTTP2StreamEnd {
        switch cut {
        case .byUs(let ours): .reset(code: ours.rawValue)
        case .byPeer where code == HTTP2ErrorCode.refusedStream.rawValue: .refused
        case .byPeer: .reset(code: code)
        case nil where code == HTTP2ErrorCode.noError.rawValue: .done
        case nil where code == HTTP2ErrorCode.refusedStream.rawValue: .refused
        case nil: .reset(code: code)
        }
    }

    /// Returns, once, the report of a request that ended before it was opened.
    func takeRejected() -> HTTP2RejectedRequest? {
        guard let request = unopened else { return nil }
        unopened = nil
        let path: String? =
            switch request.head.target {
            case .path(let path): path
            case .asterisk: "*"
            case .absolute, .authority: nil
            }
        return HTTP2RejectedRequest(
            streamID: id, fault: fault ?? .incomplete, method: request.head.method.name,
            scheme: request.scheme, authority: request.head.fields.value(of: .host), path: path)
    }
}

/// Open streams in no particular order; each knows its index.
struct StreamList {
    private(set) var all: [HTTP2Stream] = []

    var count: Int { all.count }
    var isEmpty: Bool { all.isEmpty }
    var last: HTTP2Stream? { all.last }

    mutating func keep(_ stream: HTTP2Stream) {
        stream.slot = all.count
        all.append(stream)
    }

    /// - Returns: true if it was in the list.
    mutating func remove(_ stream: HTTP2Stream) -> Bool {
        guard all.indices.contains(stream.slot), all[stream.slot] === stream else { return false }
        let last = all.removeLast()
        if last !== stream {
            all[stream.slot] = last
            last.slot = stream.slot
        }
        return true
    }

    mutating func takeAll() -> [HTTP2Stream] {
        defer { all = [] }
        return all
    }
}
