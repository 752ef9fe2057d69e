public import Bytes
internal import CNghttp2
internal import HTTPWire

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

// Handling of nghttp2's callbacks. They run inside `receive` and `write`. Handlers call back, so no access to a stored
// property may be open during a call to a handler.
extension HTTP2Machine {
    func headBegins(_ frame: UnsafePointer<nghttp2_frame>) -> CallbackAnswer {
        draft.begin(draftKind(of: frame.pointee))
        return .proceed
    }

    /// The kind of a head that begins. For nghttp2 a final head after interim ones is in the category of trailers.
    private func draftKind(of frame: nghttp2_frame) -> HeadDraft.Kind {
        if frame.headers.cat == NGHTTP2_HCAT_REQUEST { return .request(extended: hasAllowedConnectProtocol) }
        let hasFinalHead = session.stream(frame.hd.stream_id)?.hasFinalHead ?? true
        return role == .client || hasFinalHead ? .trailers : .response
    }

    func headGoesOn(_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> CallbackAnswer {
        draft.take(name, value, within: limits)
        return .proceed
    }

    func frameReceived(_ frame: UnsafePointer<nghttp2_frame>) -> CallbackAnswer {
        guard isOpen else { return .stop }
        noted += 1
        let header = frame.pointee.hd
        let endsStream = header.endsStream
        switch FrameType(rawValue: header.type) {
        case .headers:
            return headReceived(header.stream_id, frame.pointee.headers.cat, endsStream: endsStream) ? .proceed : .stop
        case .data:
            skipped.noteRead(header.length)
            return dataEnded(header, frame.pointee.data.padlen, endsStream: endsStream)
        case .resetStream: session.stream(header.stream_id)?.noteReset()
        case .settings: settingsReceived(frame.pointee.settings, header)
        case .goAway:
            if state == .alive { state = .goingAway }
            peerLastStream = frame.pointee.goaway.last_stream_id
            handler?.peerIsLeaving(self, code: frame.pointee.goaway.error_code)
        default: break
        }
        return .proceed
    }

    func dataReceived(_ bytes: UnsafeRawBufferPointer, on id: Int32) -> CallbackAnswer {
        guard isOpen else { return .stop }
        let stream = session.stream(id)
        memory.receive(bytes.count, on: stream)
        guard let stream, stream.fault == nil else { return .proceed }
        if let fault = stream.takeBody(bytes.count) { return resetForFault(stream, fault) ? .proceed : .stop }
        stream.handler?.received(bytes, on: stream)
        return .proceed
    }

    /// Handles the end of a DATA frame.
    func dataEnded(_ header: nghttp2_frame_hd, _ padding: Int, endsStream: Bool) -> CallbackAnswer {
        if endsStream {
            guard let stream = session.stream(header.stream_id), stream.fault == nil else { return .proceed }
            do throws(HTTP2MessageFault) {
                try end(stream)
            } catch {
                return resetForFault(stream, error) ? .proceed : .stop
            }
        } else if padding > 0, padding >= header.length, !watch.notePadding(ticks: ticks) {
            pendingFailure = pendingFailure ?? .flood(.emptyData)
            return .stop
        }
        return .proceed
    }

    func settingsReceived(_ frame: nghttp2_settings, _ header: nghttp2_frame_hd) {
        guard header.flags & UInt8(NGHTTP2_FLAG_ACK.rawValue) == 0 else { return }
        peerConcurrentStreams = frame.concurrentStreams ?? peerConcurrentStreams
        hasPeerSettings = true
        handler?.peerChangedSettings(self)
    }

    /// Handles a frame that broke a rule. If no stream of ours is closed for it, it is counted here.
    func invalidFrameReceived(on id: Int32, _ error: Int32) -> CallbackAnswer {
        lastError = error
        guard let stream = session.stream(id) else { return noteReset() ? .proceed : .stop }
        stream.fault = stream.fault ?? .brokenFrame
        if let rejected = stream.takeRejected() { handler?.rejected(rejected) }
        return .proceed
    }

    func streamClosed(_ id: Int32, _ code: UInt32) -> CallbackAnswer {
        reportDrained()
        guard let stream = session.stream(id) else { return .proceed }
        let end = stream.end(code)
        // Neither side requested this end: the peer broke a rule.
        let isFine = stream.cut != nil || end == .done || end == .refused || noteReset()
        close(stream, end)
        return isFine ? .proceed : .stop
    }

    func frameSent(_ frame: UnsafePointer<nghttp2_frame>) -> CallbackAnswer {
        let header = frame.pointee.hd
        if header.type == FrameType.goAway.rawValue, frame.pointee.goaway.error_code != 0 {
            pendingFailure = pendingFailure ?? .violation(code: frame.pointee.goaway.error_code, library: lastError)
        }
        if header.type == FrameType.headers.rawValue { headLeft(header.stream_id) }
        if session.cutsOff(frame.pointee) { skipped.noteReset() }
        if hasLateResets, session.endsFirst(header) { session.stream(header.stream_id)?.noteEndSent() }
        return .proceed
    }

    private func headLeft(_ id: Int32) {
        guard let stream = session.stream(id), stream.noteHeadSent() else { return }
        drained.note(0, from: stream)
    }

    /// Handles a head that nghttp2 could not send: a request after the origin's GOAWAY, or any head that is too large.
    func frameNotSent(_ frame: UnsafePointer<nghttp2_frame>) -> CallbackAnswer {
        guard frame.pointee.hd.type == FrameType.headers.rawValue else { return .proceed }
        let id = frame.pointee.hd.stream_id
        guard frame.pointee.headers.cat == NGHTTP2_HCAT_REQUEST else {
            headLeft(id)
            session.stream(id)?.reset(.internalError)
            return .proceed
        }
        guard let stream = streams.all.first(where: { $0.id == id }) else { return .proceed }
        // nghttp2 closes the stream next, and must not find an object that may be freed by then.
        nghttp2_session_set_stream_user_data(session.raw, id, nil)
        close(stream, stream.cut == nil ? .refused : stream.end(HTTP2ErrorCode.cancel.rawValue))
        return .proceed
    }

    /// Reports bytes that went into frames. Always called before a stream's last event.
    func reportDrained() {
        while let next = drained.takeFirst() {
            next.stream.handler?.drained(next.count, from: next.stream)
        }
    }

    /// Counts a stream that we had to reset because of the peer; false if the connection must fail.
    func noteReset() -> Bool {
        guard !watch.noteReset(ticks: ticks) else { return true }
        pendingFailure = pendingFailure ?? .flood(.resets)
        return false
    }

    /// Resets a stream of ours because of the peer's message; false if that was one reset too many.
    func resetForFault(_ stream: HTTP2Stream, _ fault: HTTP2MessageFault) -> Bool {
        stream.fault = fault
        stream.reset(fault.code)
        if let rejected = stream.takeRejected() { handler?.rejected(rejected) }
        return noteReset()
    }

    /// Sets whether windows may grow, and whether the connection's window is returned before bytes are taken.
    public func setShortOfMemory(_ isShort: Bool) { memory.setShort(isShort, among: streams.all) }

    /// The number of streams that are not closed.
    public var activeStreams: Int { streams.count }

    /// Origin role: true if one more request can be sent now. Neither side sent GOAWAY, the peer allows one more
    /// stream, and unused stream ids remain.
    public var canOpenStream: Bool {
        guard role == .origin, state == .alive else { return false }
        return session.mayOpen(beside: streams.count)
    }

    /// Origin role: sends a request, with Host as `:authority` and only the fields for the next hop.
    ///
    /// - Returns: nil if no stream can be opened now, or if HTTP/2 cannot express the head: it has no Host, or its
    ///   method or target contains an invalid character.
    public func open(_ request: HTTP2Request, handler: any HTTP2StreamHandler) -> HTTP2Stream? {
        guard canOpenStream else { return nil }
        let stream = HTTP2Stream(id: 0, handler: handler, machine: self)
        stream.requestKind = ResponseHead.Answering(request.head.method)
        if request.endsStream { stream.finishAtOnce() }
        guard let id = writer.queue(request, on: stream) else { return nil }
        stream.id = id
        watch.noteRequest(activeStreams: streams.count)
        streams.keep(stream)
        return stream
    }

    /// True if the peer accepts extended CONNECT (RFC 8441 section 3).
    public var peerAllowsConnectProtocol: Bool {
        session.peerSetting(NGHTTP2_SETTINGS_ENABLE_CONNECT_PROTOCOL) == 1
    }

    /// Client role: announces that the app may use extended CONNECT.
    public func allowConnectProtocol() {
        guard role == .client, isOpen else { return }
        hasAllowedConnectProtocol = true
        session.announce(NGHTTP2_SETTINGS_ENABLE_CONNECT_PROTOCOL, 1)
    }

    /// Queues a GOAWAY. With `noError`, open streams are finished and later ones of the peer are ignored: the last
    /// stream is the last one that was opened here (RFC 9113 section 6.8). With any other code all are lost.
    public func shutDown(_ code: HTTP2ErrorCode) {
        guard isOpen else { return }
        guard code == .noError else { return fail(.shutDown(code)) }
        session.sendGoAway()
        isShutDown = true
        skipped.noteGoAway()
        state = .goingAway
    }

    /// Drops all streams and handlers without further calls, and stops sending.
    public func abandon() {
        state = .failed(.abandoned)
        forgetStreams()
        handler = nil
    }

    var isOpen: Bool { state == .alive || state == .goingAway }

    /// Ends the connection: reading stops, every stream is lost, and a GOAWAY is queued.
    func fail(_ failure: HTTP2Failure) {
        nghttp2_session_terminate_session(session.raw, failure.code.rawValue)
        state = .failed(failure)
        while let stream = streams.last {
            nghttp2_session_set_stream_user_data(session.raw, stream.id, nil)
            close(stream, .lost)
        }
    }

    /// Reports the end to a stream's handler, and releases both.
    func close(_ stream: HTTP2Stream, _ end: HTTP2StreamEnd) {
        guard streams.remove(stream) else { return }
        let streamHandler = stream.handler
        let rejected = stream.takeRejected()
        stream.forget()
        if let rejected { handler?.rejected(rejected) }
        streamHandler?.closed(stream, end)
    }

    func forgetStreams() {
        drained.forget()
        for stream in streams.takeAll() {
            nghttp2_session_set_stream_user_data(session.raw, stream.id, nil)
            stream.forget()
        }
    }
}
