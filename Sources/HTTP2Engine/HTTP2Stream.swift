internal import Bytes
public import HTTPWire

/// One request and its response. Belongs to its machine; after ``HTTP2StreamHandler/closed(_:_:)`` it does nothing.
public final class HTTP2Stream {
    // Unchecked: each is loaded, or stored, as a whole, and a handler is called after it was loaded.
    @exclusivity(unchecked) public internal(set) var id: Int32
    /// Let go of once the stream is closed.
    @exclusivity(unchecked) public var handler: (any HTTP2StreamHandler)?
    public var isClosed: Bool { machine == nil }
    /// Bytes that were sent but are not in frames yet, those of heads included.
    public var queuedBytes: Int { queue.count &+ queuedHeadBytes }
    /// What the peer said that made us reset the stream; nil when it is not reset for that.
    @exclusivity(unchecked) public internal(set) var fault: HTTP2MessageFault?

    /// nil once the stream is closed. Safe without counting: a machine clears it in each stream that it still knows
    /// before it goes away.
    unowned(unsafe) var machine: HTTP2Machine?
    /// Where the machine keeps this stream.
    var slot = 0
    /// Origin role: what the request was.
    var asked = ResponseHead.Answering.other
    /// Client role: the request, as long as its handler has not heard of it.
    var unopened: HTTP2Request?
    /// Body of the peer.
    var incoming = IncomingBody()
    /// Origin role: what the answer has had before its final head.
    var interim = InterimCount()
    /// The head that comes before a body is there; another one is trailers.
    var hasFinalHead = false
    /// What cut the stream off, when it was not the end of both halves.
    var cut: Cut?

    private let queue = ByteQueue()
    /// Bytes of the heads that are queued, in order, and all together.
    // Unchecked: a list of numbers; nothing else runs while one is added or taken.
    @exclusivity(unchecked) private var queuedHeads: [Int] = []
    private var queuedHeadBytes = 0
    private var outgoing = Outgoing.open
    /// To be reset when our half is sent.
    private var isResetLate = false
    /// nghttp2 asked for bytes when there were none, and must be told of new ones.
    private var isWaited = false

    enum Cut {
        case byPeer
        case byUs(HTTP2ErrorCode)
    }

    private enum Outgoing {
        case open
        case finished(trailers: FieldBlock?)
        /// Nothing more is taken: the end is in frames, or the stream is cut off.
        case over
    }

    init(id: Int32, handler: (any HTTP2StreamHandler)?, machine: HTTP2Machine) {
        self.id = id
        self.handler = handler
        self.machine = machine
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
        wake()
    }

    /// Ends our half after what is queued. Fields that no trailers may have are left out of them.
    public func finish(trailers: FieldBlock? = nil) {
        guard machine != nil, case .open = outgoing, cut == nil else { return }
        outgoing = .finished(trailers: trailers)
        wake()
    }

    /// Cuts the stream off; ``HTTP2StreamHandler/closed(_:_:)`` follows once RST_STREAM is written.
    ///
    /// With `noError`, after our half was ended, all of that half is sent before: the rest of a request is not wanted,
    /// but its answer stands (RFC 9113 section 8.1).
    public func reset(_ code: HTTP2ErrorCode) {
        guard cut == nil, let machine else { return }
        if code == .noError, !isResetLate, hasEnded, !machine.session.hasSentEnd(of: id) {
            machine.hasLateResets = true
            isResetLate = true
            return
        }
        cut = .byUs(code)
        outgoing = .over
        queue.removeAll()
        machine.session.reset(id, code)
    }

    /// Gives `count` bytes that were received back to the stream's window. The connection's window has them already.
    public func consume(_ count: Int) {
        guard count > 0, let machine else { return }
        machine.session.consume(count, of: id)
    }

    private var hasEnded: Bool {
        if case .open = outgoing { false } else { true }
    }

    /// END_STREAM of ours was sent.
    func noteEndSent() {
        if isResetLate { reset(.noError) }
    }

    /// Our half needs no body.
    func finishAtOnce() { outgoing = .over }

    /// Lets go of everything; the stream is closed.
    func forget() {
        machine = nil
        outgoing = .over
        queue.removeAll()
        queuedHeads = []
        queuedHeadBytes = 0
        unopened = nil
        handler = nil
    }

    /// A head of ours waits in nghttp2.
    func noteHeadQueued(_ bytes: Int) {
        queuedHeads.append(bytes)
        queuedHeadBytes &+= bytes
    }

    /// The oldest head that waited is in frames; false when none did.
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

/// What there is for a DATA frame.
enum BodyPiece {
    case bytes(Int, isLast: Bool)
    case nothingYet
}

extension HTTP2Stream {
    /// Moves as many queued bytes into `room` as fit.
    func fill(_ room: UnsafeMutableRawBufferPointer) -> BodyPiece {
        let count = min(room.count, queue.count)
        if count > 0 {
            room.copyMemory(from: UnsafeRawBufferPointer(rebasing: queue.bytes[..<count]))
            queue.consume(count)
            machine?.drained.note(count, from: self)
        }
        if case .finished = outgoing, queue.isEmpty { return .bytes(count, isLast: true) }
        if count > 0 { return .bytes(count, isLast: false) }
        isWaited = true
        return .nothingYet
    }

    /// Queues the trailers, where there are any.
    func submitTrailers() -> Bool {
        guard case .finished(let trailers) = outgoing, let machine else { return false }
        outgoing = .over
        guard let trailers, !trailers.isEmpty else { return false }
        return machine.writer.queue(trailers: trailers, on: self)
    }
}
