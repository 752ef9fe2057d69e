internal import CNghttp2
internal import HTTPWire

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
}
