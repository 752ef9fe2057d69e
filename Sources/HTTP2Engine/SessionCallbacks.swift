internal import CNghttp2

/// The process-wide table of callbacks; `nghttp2_session_server_new2` copies it.
// Unchecked: a C pointer is not Sendable. The table is complete before `shared` is visible, and only read afterwards.
final class SessionCallbacks: @unchecked Sendable {
    static let shared = SessionCallbacks()

    let raw: OpaquePointer?

    private init() {
        var table: OpaquePointer?
        guard nghttp2_session_callbacks_new(&table) == 0, let table else {
            raw = nil
            return
        }
        raw = table
        setReceiving(table)
        setSending(table)
    }

    deinit { nghttp2_session_callbacks_del(raw) }

    private func setReceiving(_ table: OpaquePointer) {
        nghttp2_session_callbacks_set_on_begin_headers_callback(table) { _, frame, owner in
            guard let frame else { return 0 }
            return machine(owner) { $0.headBegins(frame) }
        }
        nghttp2_session_callbacks_set_on_header_callback(table) { _, _, name, nameCount, value, valueCount, _, owner in
            machine(owner) {
                $0.headGoesOn(
                    UnsafeRawBufferPointer(start: name, count: nameCount),
                    UnsafeRawBufferPointer(start: value, count: valueCount))
            }
        }
        nghttp2_session_callbacks_set_on_frame_recv_callback(table) { _, frame, owner in
            guard let frame else { return 0 }
            return machine(owner) { $0.frameReceived(frame) }
        }
        nghttp2_session_callbacks_set_on_data_chunk_recv_callback(table) { _, _, id, bytes, count, owner in
            machine(owner) { $0.dataReceived(UnsafeRawBufferPointer(start: bytes, count: count), on: id) }
        }
        nghttp2_session_callbacks_set_on_invalid_frame_recv_callback(table) { _, frame, error, owner in
            machine(owner) { $0.invalidFrameReceived(on: frame?.pointee.hd.stream_id ?? 0, error) }
        }
        nghttp2_session_callbacks_set_on_stream_close_callback(table) { _, id, code, owner in
            machine(owner) { $0.streamClosed(id, code) }
        }
    }

    private func setSending(_ table: OpaquePointer) {
        nghttp2_session_callbacks_set_on_frame_send_callback(table) { _, frame, owner in
            guard let frame else { return 0 }
            return machine(owner) { $0.frameSent(frame) }
        }
        nghttp2_session_callbacks_set_on_frame_not_send_callback(table) { _, frame, _, owner in
            guard let frame else { return 0 }
            return machine(owner) { $0.frameNotSent(frame) }
        }
    }
}

/// Runs `body` on the machine of a callback, and returns nghttp2's result code: 0, or a failure.
@inline(__always)
private func machine(_ owner: UnsafeMutableRawPointer?, _ body: (HTTP2Machine) -> CallbackAnswer) -> Int32 {
    guard let owner else { return NGHTTP2_ERR_CALLBACK_FAILURE.rawValue }
    return Unmanaged<HTTP2Machine>.fromOpaque(owner)._withUnsafeGuaranteedRef { body($0) }.rawValue
}

/// The result of a callback.
enum CallbackAnswer {
    case proceed
    /// Stops reading.
    case stop

    var rawValue: Int32 {
        switch self {
        case .proceed: 0
        case .stop: NGHTTP2_ERR_CALLBACK_FAILURE.rawValue
        }
    }
}

/// Fills DATA frames from the queue of their stream. A stream whose object is gone is reset.
func readBody(
    _ session: OpaquePointer?, _ id: Int32, _ room: UnsafeMutablePointer<UInt8>?, _ limit: Int,
    _ flags: UnsafeMutablePointer<UInt32>?, _ source: UnsafeMutablePointer<nghttp2_data_source>?,
    _ owner: UnsafeMutableRawPointer?
) -> Int {
    guard let session, let flags, let user = nghttp2_session_get_stream_user_data(session, id) else {
        return Int(NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE.rawValue)
    }
    return Unmanaged<HTTP2Stream>.fromOpaque(user)._withUnsafeGuaranteedRef {
        let room = UnsafeMutableRawBufferPointer(start: room, count: limit)
        switch $0.fill(room) {
        case .bytes(let count, let isLast):
            guard isLast else { return count }
            flags.pointee |= NGHTTP2_DATA_FLAG_EOF.rawValue
            if $0.submitTrailers() { flags.pointee |= NGHTTP2_DATA_FLAG_NO_END_STREAM.rawValue }
            return count
        case .nothingYet: return Int(NGHTTP2_ERR_DEFERRED.rawValue)
        }
    }
}
