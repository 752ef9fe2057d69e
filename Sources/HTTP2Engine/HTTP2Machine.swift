public import Bytes
internal import CNghttp2

/// One HTTP/2 connection without a socket: bytes in, events and bytes out. Belongs to one event loop.
///
/// nghttp2 implements the protocol. This type checks what nghttp2 accepts and a gate must not: see ``HTTP2Limits`` and
/// ``HTTP2Failure``. A message that breaks the rules of RFC 9113 section 8 resets its stream and is never an event.
public final class HTTP2Machine {
    // Unchecked: nghttp2's callbacks re-enter this object while a call into nghttp2 runs, but never while one of these
    // values is loaded or stored as a whole.
    @exclusivity(unchecked) public weak var handler: (any HTTP2Handler)?
    /// Microseconds on a clock that never steps, set before each ``receive(_:)``: flood limits are rates.
    @exclusivity(unchecked) public var ticks: Int64 = 0
    @exclusivity(unchecked) public internal(set) var state = HTTP2State.alive
    /// The last MAX_CONCURRENT_STREAMS that the peer announced.
    @exclusivity(unchecked) public internal(set) var peerConcurrentStreams: UInt32?
    /// True once the peer's first SETTINGS took effect, so that missing settings are not offered.
    @exclusivity(unchecked) public internal(set) var hasPeerSettings = false
    /// The last of our streams that the peer may have processed, from its latest GOAWAY; nil before one.
    @exclusivity(unchecked) public internal(set) var peerLastStream: Int32?

    public let memory: HTTP2Memory
    let role: HTTP2Role
    let limits: HTTP2Limits
    let session: NGHTTP2Session
    // Unchecked: their methods only read bytes, count and keep lists. They call neither nghttp2 nor a handler, and a
    // stream that a list drops has no handler any more.
    @exclusivity(unchecked) var draft = HeadDraft()
    var writer: HeadWriter
    @exclusivity(unchecked) var streams = StreamList()
    @exclusivity(unchecked) var watch: FrameWatch
    @exclusivity(unchecked) var drained = DrainedBytes()
    @exclusivity(unchecked) var skipped: SkippedData
    /// Frames that nghttp2 reported. Fewer than were received if it skipped some or has stopped reading.
    var noted = 0
    /// True if extended CONNECT was announced to the app.
    var hasAllowedConnectProtocol = false
    /// The failure to apply as soon as nghttp2 has returned.
    var pendingFailure: HTTP2Failure?
    /// nghttp2's code for the last error that it found.
    var lastError: Int32 = 0
    /// True if a stream waits to be reset after its end is sent.
    var hasLateResets = false
    /// True if we sent GOAWAY: later requests get no answer.
    var isShutDown = false
    /// True during a call into nghttp2 that must not be re-entered.
    private var isRunning = false
    /// Bytes received during such a call.
    private let backlog = ByteQueue()
    // Unchecked, although the peer's events happen while ``WholeHeaders/complete(_:_:)`` runs: `isRunning` is set then,
    // so bytes that a handler passes to ``receive(_:)`` go to `backlog`, and no other code reads this.
    @exclusivity(unchecked) private var headers = WholeHeaders()
    /// Frames that were taken from nghttp2 in advance.
    private let staging = ByteQueue()

    /// - Parameter via: our name in Via, as for `MessageWriter`.
    /// - Throws: ``HTTP2Failure/library(_:)`` if there is no memory.
    public init(
        role: HTTP2Role, limits: HTTP2Limits = HTTP2Limits(), via: StaticString = "atsgate"
    ) throws(HTTP2Failure) {
        self.role = role
        self.limits = limits
        watch = FrameWatch(limits: limits, isServer: role == .client)
        skipped = SkippedData(limits)
        session = try NGHTTP2Session(isServer: role == .client, limits: limits)
        memory = HTTP2Memory(session, limits)
        writer = HeadWriter(session: session, via: via)
        session.setMachine(self)
    }

    deinit { forgetStreams() }

    /// Processes `bytes`, from inside an event after that event. After a failure, ``state`` contains it, all streams are
    /// lost, and a GOAWAY waits to be written.
    public func receive(_ bytes: UnsafeRawBufferPointer) {
        guard !isRunning else { return backlog.append(bytes) }
        withExtendedLifetime(self) {
            take(bytes)
            takeBacklog()
            noteEnd()
        }
    }

    /// Appends whole frames until `queue` has `limit` bytes or no frame is left. Does nothing from inside an event.
    public func write(to queue: ByteQueue, upTo limit: Int) {
        guard !isRunning else { return }
        withExtendedLifetime(self) {
            if !staging.isEmpty {
                queue.append(staging.bytes)
                staging.removeAll()
            }
            while queue.count < limit, let type = writeFrame(to: queue) {
                if type == .data { watch.noteDataSent() }
            }
            applyPendingFailure()
            takeBacklog()
            noteEnd()
        }
    }

    /// True if ``write(to:upTo:)`` would write something now.
    public var wantsToWrite: Bool {
        if !staging.isEmpty { return true }
        return state != .failed(.abandoned) && nghttp2_session_want_write(session.raw) != 0
    }

    /// True if nothing will be sent or received on this connection again, so that it can be closed.
    public var isFinished: Bool {
        switch state {
        case .alive: false
        case .goingAway: streams.isEmpty && !wantsToWrite
        case .done: true
        case .failed: !wantsToWrite
        }
    }

    private func takeBacklog() {
        while !backlog.isEmpty {
            let late = Array(backlog.bytes)
            backlog.removeAll()
            late.withUnsafeBytes { take($0) }
        }
    }

    /// Detects the end of a connection after GOAWAY. Once the last stream is closed, nghttp2 neither answers
    /// nor opens anything, but does not report it. The peer would be left on a dead connection.
    private func noteEnd() {
        guard role == .client, state == .goingAway, streams.isEmpty, !wantsToWrite,
            nghttp2_session_want_read(session.raw) == 0
        else {
            return
        }
        state = .done
    }

    private func take(_ bytes: UnsafeRawBufferPointer) {
        guard isOpen else { return }
        let trouble = watch.look(at: bytes, ticks: ticks)
        let end = trouble?.sound ?? max(0, bytes.count - watch.openHeaderBytes)
        let view = ByteView(bytes)
        headers.complete(view.slice(upTo: end)) { feed($0) }
        if trouble == nil, end < view.count { headers.hold(view.slice(from: end)) }
        for id in watch.takeLateStreams() { session.reset(late: id, within: limits) }
        applyPendingFailure()
        if noted < watch.completed || trouble != nil {
            // nghttp2 skipped a frame, because of the frame or because it has stopped reading. Only the GOAWAY that it
            // queues shows which. Look for it now, or, if the peer has not read the staged frames yet, when it reads.
            if staging.count < limits.frameBytes {
                noted = watch.completed
                stageQueuedFrames()
            }
            if skipped.isTooMuch(of: watch.completedDataBytes, openStreams: streams.count) {
                pendingFailure = .flood(.skippedData)
            }
        }
        if let trouble { pendingFailure = trouble.failure }
        applyPendingFailure()
    }

    private func feed(_ bytes: UnsafeRawBufferPointer) {
        isRunning = true
        let result = nghttp2_session_mem_recv(
            session.raw, bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), bytes.count)
        isRunning = false
        if result < 0, pendingFailure == nil {
            pendingFailure = HTTP2Failure(ofReading: Int32(truncatingIfNeeded: result))
        }
    }

    /// Moves the frames before any DATA from nghttp2 to `staging`, to see whether a GOAWAY is among them.
    private func stageQueuedFrames() {
        while state == .alive || state == .goingAway, pendingFailure == nil, let type = writeFrame(to: staging) {
            if type == .data {
                watch.noteDataSent()
                break
            }
        }
        applyPendingFailure()
    }

    private func writeFrame(to queue: ByteQueue) -> FrameType?? {
        guard state != .failed(.abandoned) else { return nil }
        var start: UnsafePointer<UInt8>?
        isRunning = true
        let count = nghttp2_session_mem_send(session.raw, &start)
        // The memory at `start` is valid only until the next frame is made, so no call may write in the meantime.
        reportDrained()
        isRunning = false
        if count < 0, pendingFailure == nil { pendingFailure = .library(Int32(truncatingIfNeeded: count)) }
        guard count > 0, let start else { return nil }
        queue.append(UnsafeRawBufferPointer(start: start, count: count))
        return .some(count > 3 ? FrameType(rawValue: start[3]) : nil)
    }

    /// Fails the connection if an event during a call into nghttp2 requires it.
    private func applyPendingFailure() {
        guard let failure = pendingFailure else { return }
        pendingFailure = nil
        guard isOpen else { return }
        fail(failure)
    }
}
