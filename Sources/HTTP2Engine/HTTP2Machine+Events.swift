internal import CNghttp2
internal import HTTPWire

/// Bytes that went into frames.
struct DrainedBytes {
    let stream: HTTP2Stream
    let count: Int
}

// What the callbacks of nghttp2 say. They run inside `receive` and `write`; nothing here holds on to a stored property
// while a handler is told, since handlers call back.
extension HTTP2Machine {
    func headBegins() -> CallbackAnswer {
        draft.begin()
        return .goOn
    }

    func headGoesOn(
        of id: Int32, _ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer
    ) -> CallbackAnswer {
        do throws(WireError) {
            try draft.take(name, value, within: limits)
            return .goOn
        } catch {
            return refuse(id, error) ? .dropHead : .stop
        }
    }

    func frameReceived(_ frame: UnsafePointer<nghttp2_frame>) -> CallbackAnswer {
        guard isOpen else { return .stop }
        noted += 1
        let header = frame.pointee.hd
        let endsStream = header.flags & UInt8(NGHTTP2_FLAG_END_STREAM.rawValue) != 0
        switch FrameType(rawValue: header.type) {
        case .headers:
            return headReceived(header.stream_id, frame.pointee.headers.cat, endsStream: endsStream) ? .goOn : .stop
        case .data: return dataEnded(header, frame.pointee.data.padlen, endsStream: endsStream)
        case .resetStream: session.stream(header.stream_id)?.noteReset()
        case .settings: settingsReceived(frame.pointee.settings, header)
        case .goAway:
            if state == .alive { state = .goingAway }
            peerLastStream = frame.pointee.goaway.last_stream_id
            handler?.peerIsLeaving(self, code: frame.pointee.goaway.error_code)
        default: break
        }
        return .goOn
    }

    func dataReceived(_ bytes: UnsafeRawBufferPointer, on id: Int32) -> CallbackAnswer {
        guard isOpen else { return .stop }
        nghttp2_session_consume_connection(session.raw, bytes.count)
        if let stream = session.stream(id) { stream.handler?.received(bytes, on: stream) }
        return .goOn
    }

    /// A frame broke a rule; when no stream of ours is closed for it, it is counted here.
    func invalidFrameReceived(on id: Int32, _ error: Int32) -> CallbackAnswer {
        lastError = error
        return session.stream(id) != nil || noteReset() ? .goOn : .stop
    }

    func streamClosed(_ id: Int32, _ code: UInt32) -> CallbackAnswer {
        tellDrained()
        guard let stream = session.stream(id) else { return .goOn }
        let end = stream.end(code)
        // Neither side asked for this end: the peer broke a rule.
        let isFine = stream.cut != nil || end == .done || end == .refused || noteReset()
        close(stream, end)
        return isFine ? .goOn : .stop
    }

    func frameSent(_ frame: UnsafePointer<nghttp2_frame>) -> CallbackAnswer {
        if frame.pointee.hd.type == FrameType.goAway.rawValue, frame.pointee.goaway.error_code != 0 {
            pendingFailure = pendingFailure ?? .violation(code: frame.pointee.goaway.error_code, library: lastError)
        }
        if hasLateResets { endSent(frame.pointee.hd) }
        return .goOn
    }

    private func endSent(_ header: nghttp2_frame_hd) {
        let type = FrameType(rawValue: header.type)
        guard type == .data || type == .headers, header.flags & UInt8(NGHTTP2_FLAG_END_STREAM.rawValue) != 0,
            nghttp2_session_get_stream_remote_close(session.raw, header.stream_id) == 0
        else { return }
        session.stream(header.stream_id)?.noteEndSent()
    }

    /// A head that nghttp2 could not send: a request, because the origin said GOAWAY before; or any that is too large.
    func frameNotSent(_ frame: UnsafePointer<nghttp2_frame>) -> CallbackAnswer {
        guard frame.pointee.hd.type == FrameType.headers.rawValue else { return .goOn }
        let id = frame.pointee.hd.stream_id
        guard frame.pointee.headers.cat == NGHTTP2_HCAT_REQUEST else {
            session.stream(id)?.reset(.internalError)
            return .goOn
        }
        guard let stream = streams.first(where: { $0.id == id }) else { return .goOn }
        // nghttp2 closes the stream next, and must not find an object that may be gone by then.
        nghttp2_session_set_stream_user_data(session.raw, id, nil)
        close(stream, stream.cut == nil ? .refused : stream.end(HTTP2ErrorCode.cancel.rawValue))
        return .goOn
    }

    /// Tells of bytes that went into frames; before a stream's last event, always.
    func tellDrained() {
        while !drained.isEmpty {
            let next = drained.removeFirst()
            next.stream.handler?.drained(next.count, from: next.stream)
        }
    }

    func noteDrained(_ count: Int, from stream: HTTP2Stream) {
        drained.append(DrainedBytes(stream: stream, count: count))
    }

    /// Counts a stream that we had to reset for the peer's fault; false when the connection must fail.
    private func noteReset() -> Bool {
        guard !watch.noteReset(ticks: ticks) else { return true }
        pendingFailure = pendingFailure ?? .flood(.resets)
        return false
    }

    /// Resets a stream whose message is malformed or too large; false when that was one too many.
    private func refuse(_ id: Int32, _ error: WireError) -> Bool {
        let isTooLarge = error == .headTooLarge || error == .tooManyFields
        session.reset(id, isTooLarge ? .enhanceYourCalm : .protocolError)
        return session.stream(id) != nil || noteReset()
    }
}

extension HTTP2Machine {
    private func headReceived(_ id: Int32, _ category: nghttp2_headers_category, endsStream: Bool) -> Bool {
        do throws(WireError) {
            if category == NGHTTP2_HCAT_REQUEST {
                requestReceived(try draft.request(endsStream: endsStream), id)
            } else if let stream = session.stream(id) {
                // The final head after interim ones comes in the same category as trailers.
                if role == .client || stream.hasFinalHead {
                    stream.end(trailers: draft.trailers())
                } else {
                    let head = try draft.response(endsStream: endsStream, toHead: stream.isToHead)
                    stream.hasFinalHead = head.status >= 200
                    stream.handler?.answered(head, endsStream: endsStream, on: stream)
                    if endsStream { stream.end() }
                }
            }
            return true
        } catch {
            return refuse(id, error)
        }
    }

    private func requestReceived(_ request: HTTP2Request, _ id: Int32) {
        guard let handler, !isShutDown else { return session.reset(id, .refusedStream) }
        let stream = HTTP2Stream(id: id, handler: nil, machine: self)
        stream.hasFinalHead = true
        keep(stream)
        nghttp2_session_set_stream_user_data(session.raw, id, Unmanaged.passUnretained(stream).toOpaque())
        handler.opened(request, stream)
        if request.endsStream { stream.end() }
    }

    private func dataEnded(_ header: nghttp2_frame_hd, _ padding: Int, endsStream: Bool) -> CallbackAnswer {
        if endsStream {
            session.stream(header.stream_id)?.end()
        } else if padding > 0, padding >= header.length, !watch.notePadding(ticks: ticks) {
            pendingFailure = pendingFailure ?? .flood(.emptyData)
            return .stop
        }
        return .goOn
    }

    private func settingsReceived(_ frame: nghttp2_settings, _ header: nghttp2_frame_hd) {
        guard header.flags & UInt8(NGHTTP2_FLAG_ACK.rawValue) == 0 else { return }
        for index in 0..<frame.niv {
            guard let entry = frame.iv?[index] else { break }
            if entry.settings_id == Int32(NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS.rawValue) {
                peerConcurrentStreams = entry.value
            }
        }
        hasPeerSettings = true
        handler?.peerChangedSettings(self)
    }
}
