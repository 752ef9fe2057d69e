internal import Bytes
public import HTTPWire

/// One request and its response. Belongs to its machine; after ``HTTP2StreamHandler/closed(_:_:)`` it does nothing.
public final class HTTP2Stream {
    public internal(set) var id: Int32
    /// Let go of once the stream is closed.
    public var handler: (any HTTP2StreamHandler)?
    public var isClosed: Bool { machine == nil }
    /// Bytes that were sent but are not in frames yet.
    public var queuedBytes: Int { queue.count }

    /// nil once the stream is closed. Safe without counting: a machine clears it in each stream that it still knows
    /// before it goes away.
    unowned(unsafe) var machine: HTTP2Machine?
    /// Where the machine keeps this stream.
    var slot = 0
    /// Origin role: the request was HEAD.
    var isToHead = false
    /// The head that comes before a body is there; another one is trailers.
    var hasFinalHead = false
    /// What cut the stream off, when it was not the end of both halves.
    var cut: Cut?

    private let queue = ByteQueue()
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
        machine.submit(head, endsStream: endsStream, on: self)
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
        if code == .noError, !isResetLate, hasEnded, !machine.hasSentEnd(of: id) {
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
        machine.consume(count, of: id)
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
        handler = nil
    }

    private func wake() {
        guard isWaited else { return }
        isWaited = false
        machine?.resume(id)
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
            machine?.noteDrained(count, from: self)
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
        return machine.submit(trailers: trailers, on: id)
    }
}

extension HTTP2Stream {
    /// The peer's half is over. A handler that has just reset the stream hears no more of it but its end.
    func end(trailers: FieldBlock? = nil) {
        guard cut == nil else { return }
        handler?.ended(self, trailers: trailers)
    }

    /// The peer sent RST_STREAM.
    func noteReset() {
        if cut == nil { cut = .byPeer }
    }

    /// What the number that nghttp2 closes this stream with means.
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
}
