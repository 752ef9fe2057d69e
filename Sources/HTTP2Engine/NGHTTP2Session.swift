internal import CNghttp2

/// One nghttp2 session. Freed only with its machine, which is never inside a callback.
final class NGHTTP2Session {
    let raw: OpaquePointer

    init(isServer: Bool, limits: HTTP2Limits) throws(HTTP2Failure) {
        var option: OpaquePointer?
        guard nghttp2_option_new(&option) == 0, let option else { throw .library(NGHTTP2_ERR_NOMEM.rawValue) }
        defer { nghttp2_option_del(option) }
        nghttp2_option_set_no_auto_window_update(option, 1)
        // The message rules of RFC 9113 section 8 are enforced here: nghttp2 does not report which one was broken.
        nghttp2_option_set_no_http_messaging(option, 1)
        // Closed streams would be kept for the priority tree of RFC 7540, which RFC 9113 section 5.3 deprecates.
        nghttp2_option_set_no_closed_streams(option, 1)
        nghttp2_option_set_max_outbound_ack(option, limits.acknowledgementsWaiting)
        nghttp2_option_set_max_send_header_block_length(option, Self.sentHeadBytes)
        guard let callbacks = SessionCallbacks.shared.raw else { throw .library(NGHTTP2_ERR_NOMEM.rawValue) }
        var session: OpaquePointer?
        let result =
            isServer
            ? nghttp2_session_server_new2(&session, callbacks, nil, option)
            : nghttp2_session_client_new2(&session, callbacks, nil, option)
        guard result == 0, let session else { throw .library(result) }
        raw = session
        try submitSettings(isServer: isServer, limits: limits)
    }

    deinit { nghttp2_session_del(raw) }

    /// Queues the first SETTINGS and the connection's window.
    private func submitSettings(isServer: Bool, limits: HTTP2Limits) throws(HTTP2Failure) {
        var entries = [
            entry(NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, min(limits.streamWindowBytes, .windowMax)),
            entry(NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, limits.headerListBytes),
        ]
        if isServer {
            entries.append(entry(NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, limits.concurrentStreams))
        } else {
            entries.append(entry(NGHTTP2_SETTINGS_ENABLE_PUSH, 0))
        }
        try require(submitSettings(entries))
        let window = Int32(clamping: limits.effectiveConnectionWindow)
        try require(nghttp2_session_set_local_window_size(raw, UInt8(NGHTTP2_FLAG_NONE.rawValue), 0, window))
    }

    /// Sets the machine that gets the events of the callbacks; called once, before anything is received or sent.
    func setMachine(_ machine: HTTP2Machine) {
        nghttp2_session_set_user_data(raw, Unmanaged.passUnretained(machine).toOpaque())
    }

    func peerSetting(_ id: nghttp2_settings_id) -> UInt32 { nghttp2_session_get_remote_settings(raw, id) }

    /// True if one more request can be sent in addition to `count` streams.
    func mayOpen(beside count: Int) -> Bool {
        count < Int(peerSetting(NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS))
            && nghttp2_session_check_request_allowed(raw) != 0
    }

    /// Announces one more setting in a separate frame.
    func announce(_ id: nghttp2_settings_id, _ value: Int) {
        _ = submitSettings([entry(id, value)])
    }

    private func submitSettings(_ entries: [nghttp2_settings_entry]) -> Int32 {
        nghttp2_submit_settings(raw, UInt8(NGHTTP2_FLAG_NONE.rawValue), entries, entries.count)
    }

    private func entry(_ id: nghttp2_settings_id, _ value: Int) -> nghttp2_settings_entry {
        nghttp2_settings_entry(settings_id: Int32(id.rawValue), value: UInt32(clamping: value))
    }

    private func require(_ result: Int32) throws(HTTP2Failure) {
        guard result == 0 else { throw .library(result) }
    }

    /// Returns our stream object for a stream id.
    @inline(__always)
    func stream(_ id: Int32) -> HTTP2Stream? {
        nghttp2_session_get_stream_user_data(raw, id).map {
            Unmanaged<HTTP2Stream>.fromOpaque($0).takeUnretainedValue()
        }
    }

    /// Longest head that can be sent, in bytes before compression: any that is accepted (64 KiB), with nghttp2's
    /// overhead for each field. Its default is only 64 KiB.
    private static let sentHeadBytes = 131_072

    /// Resets a stream.
    func reset(_ id: Int32, _ code: HTTP2ErrorCode) {
        nghttp2_submit_rst_stream(raw, UInt8(NGHTTP2_FLAG_NONE.rawValue), id, code.rawValue)
    }

    /// Queues a GOAWAY that lets the streams opened so far finish.
    func sendGoAway() {
        let last = nghttp2_session_get_last_proc_stream_id(raw)
        nghttp2_submit_goaway(raw, UInt8(NGHTTP2_FLAG_NONE.rawValue), last, 0, nil, 0)
    }

    /// True if a frame of ours is a RST_STREAM on a stream on which the peer may still send DATA. nghttp2 closes it
    /// next.
    ///
    /// A RST_STREAM with STREAM_CLOSED on a stream that nghttp2 does not know answers a frame after the peer's own
    /// RST_STREAM. The peer must not send more after that (RFC 9113 section 5.1).
    func cutsOff(_ frame: nghttp2_frame) -> Bool {
        guard frame.hd.type == FrameType.resetStream.rawValue else { return false }
        switch nghttp2_session_get_stream_remote_close(raw, frame.hd.stream_id) {
        case 1: return false
        case 0: return true
        default: return frame.rst_stream.error_code != HTTP2ErrorCode.streamClosed.rawValue
        }
    }

    /// Answers a frame on a stream that the peer had reset, unless too much waits for a peer that does not read.
    func reset(late id: Int32, within limits: HTTP2Limits) {
        guard nghttp2_session_get_outbound_queue_size(raw) < limits.acknowledgementsWaiting else { return }
        reset(id, .streamClosed)
    }

    /// True if a frame of ours ends our half of a stream while the peer's half is open.
    func endsFirst(_ header: nghttp2_frame_hd) -> Bool {
        let type = FrameType(rawValue: header.type)
        guard type == .data || type == .headers, header.endsStream else { return false }
        return nghttp2_session_get_stream_remote_close(raw, header.stream_id) == 0
    }

    func hasSentEnd(of id: Int32) -> Bool { nghttp2_session_get_stream_local_close(raw, id) == 1 }

    func resume(_ id: Int32) { nghttp2_session_resume_data(raw, id) }

    func consume(_ count: Int, of id: Int32) { nghttp2_session_consume_stream(raw, id, count) }

    func consumeConnection(_ count: Int) { nghttp2_session_consume_connection(raw, count) }

    /// - Parameter id: 0 for the connection.
    func widenWindow(of id: Int32, to bytes: Int) {
        nghttp2_session_set_local_window_size(raw, UInt8(NGHTTP2_FLAG_NONE.rawValue), id, Int32(clamping: bytes))
    }
}

extension HTTP2Failure {
    /// Converts nghttp2's error code when it stops reading.
    init(ofReading code: Int32) {
        switch code {
        case NGHTTP2_ERR_BAD_CLIENT_MAGIC.rawValue:
            self = .violation(code: HTTP2ErrorCode.protocolError.rawValue, library: code)
        case NGHTTP2_ERR_FLOODED.rawValue: self = .flood(.acknowledgements)
        case tooManyContinuations: self = .flood(.continuations)
        default: self = .library(code)
        }
    }
}

extension nghttp2_frame_hd {
    /// For DATA and HEADERS.
    var endsStream: Bool { flags & UInt8(NGHTTP2_FLAG_END_STREAM.rawValue) != 0 }
}

extension nghttp2_settings {
    /// The last MAX_CONCURRENT_STREAMS in the frame.
    var concurrentStreams: UInt32? {
        UnsafeBufferPointer(start: iv, count: niv).last {
            $0.settings_id == Int32(NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS.rawValue)
        }?.value
    }
}

/// NGHTTP2_ERR_TOO_MANY_CONTINUATIONS, which the header defines since 1.61, and in Debian's 1.52.
private let tooManyContinuations: Int32 = -905

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

/// The fields of a head for nghttp2, in reused memory. nghttp2 copies them on submission and lowercases the names
/// (`nghttp2_nv`: flags 0). So only our own text is copied here.
struct NameValueList: ~Copyable {
    private var pairs = UnsafeMutableBufferPointer<nghttp2_nv>(start: nil, count: 0)
    private(set) var count = 0
    /// Bytes that nghttp2 copies, with its overhead for each field.
    private(set) var bytes = 0
    /// Our own text: pseudo-header fields and numbers. Never moves while a list is being built.
    private var text = UnsafeMutableRawBufferPointer(start: nil, count: 0)
    private var textUsed = 0

    init() {}

    deinit {
        pairs.deallocate()
        text.deallocate()
    }

    /// Starts a new list.
    ///
    /// - Parameters:
    ///   - textBytes: at least the bytes of all text for ``add(_:text:)``.
    ///   - fields: at least the number of fields to add.
    mutating func begin(textBytes: Int, fields: Int) {
        count = 0
        bytes = 0
        textUsed = 0
        if text.count < textBytes {
            text.deallocate()
            text = .allocate(byteCount: max(textBytes, 1_024), alignment: 16)
        }
        if pairs.count < fields {
            pairs.deallocate()
            pairs = .allocate(capacity: max(fields, 64))
        }
    }

    /// Adds a field whose bytes stay valid until nghttp2 has copied the list.
    mutating func add(_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) {
        precondition(count < pairs.count)
        pairs.initializeElement(
            at: count,
            to: nghttp2_nv(
                name: Self.bytes(name), value: Self.bytes(value), namelen: name.count, valuelen: value.count, flags: 0))
        count += 1
        bytes &+= name.count &+ value.count &+ MemoryLayout<nghttp2_nv>.stride
    }

    /// Adds a field whose value is copied.
    mutating func add(_ name: StaticString, text value: String) {
        let start = textUsed
        put(value)
        add(Self.raw(name), UnsafeRawBufferPointer(rebasing: text[start..<textUsed]))
    }

    /// Adds a field whose value is two parts and a space.
    mutating func add(_ name: StaticString, _ first: StaticString, _ second: StaticString) {
        let start = textUsed
        put(Self.raw(first))
        put(Self.raw(" "))
        put(Self.raw(second))
        add(Self.raw(name), UnsafeRawBufferPointer(rebasing: text[start..<textUsed]))
    }

    /// Passes the list to `call`.
    func submit(_ call: (UnsafePointer<nghttp2_nv>?, Int) -> Int32) -> Int32 {
        call(pairs.baseAddress.map { UnsafePointer($0) }, count)
    }

    private mutating func put(_ value: String) {
        var value = value
        value.withUTF8 { put(UnsafeRawBufferPointer($0)) }
    }

    private mutating func put(_ bytes: UnsafeRawBufferPointer) {
        precondition(bytes.count <= text.count - textUsed)
        UnsafeMutableRawBufferPointer(rebasing: text[textUsed..<(textUsed + bytes.count)]).copyMemory(from: bytes)
        textUsed += bytes.count
    }

    /// Returns a mutable pointer, as the type of `nghttp2_nv` requires. nghttp2 does not write through it.
    private static func bytes(_ buffer: UnsafeRawBufferPointer) -> UnsafeMutablePointer<UInt8> {
        let start = buffer.baseAddress ?? UnsafeRawPointer(("" as StaticString).utf8Start)
        return UnsafeMutablePointer(mutating: start.assumingMemoryBound(to: UInt8.self))
    }

    private static func raw(_ text: StaticString) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
    }
}

/// Holds the beginning of a frame header until the rest arrives.
///
/// Since its fix for CVE-2024-28182, nghttp2 counts a CONTINUATION for each piece of its header, and fails honest peers
/// on slow networks. So it only gets complete headers.
struct WholeHeaders {
    private var held: [UInt8] = []

    mutating func hold(_ beginning: UnsafeRawBufferPointer) { held += beginning }

    /// Calls `work` with the held bytes followed by `bytes`; not at all if `bytes` is empty.
    mutating func complete(_ bytes: UnsafeRawBufferPointer, _ work: (UnsafeRawBufferPointer) -> Void) {
        guard bytes.count > 0 else { return }
        guard !held.isEmpty else { return work(bytes) }
        let joined = held + bytes
        held = []
        joined.withUnsafeBytes(work)
    }
}
