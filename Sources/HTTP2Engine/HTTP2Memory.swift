/// The size of a window, which doubles each time that much was taken from it.
///
/// A peer's data is held until the other side takes it, so a window starts small and grows only for readers that keep up.
struct WindowGrowth {
    private var bytes: Int
    private let widest: Int
    private var taken = 0

    init(bytes: Int, widest: Int) {
        self.bytes = bytes
        self.widest = widest
    }

    /// Counts bytes that were taken.
    ///
    /// - Returns: the new size of the window if it grows, in bytes; nil if it stays.
    mutating func take(_ count: Int) -> Int? {
        guard bytes > 0, bytes < widest else { return nil }
        taken += count
        guard taken >= bytes else { return nil }
        taken = 0
        bytes = min(2 * bytes, widest)
        return bytes
    }
}

/// The memory that a connection uses for its peer, and the credit for DATA that bounds it.
public final class HTTP2Memory {
    /// Bytes of bodies that are queued on all streams and wait for the peer's windows.
    // Unchecked, like the next one: numbers; no other code runs while they are changed.
    @exclusivity(unchecked) public internal(set) var queuedBytes = 0
    /// Client role: bytes of the heads of all open requests.
    @exclusivity(unchecked) public internal(set) var headBytes = 0
    /// While true, windows do not grow, and credit is returned only as bytes are taken.
    public private(set) var isShort = false
    private let session: NGHTTP2Session
    private let headLimit: Int
    private var growth: WindowGrowth

    init(_ session: NGHTTP2Session, _ limits: HTTP2Limits) {
        self.session = session
        headLimit = limits.openHeadBytes
        growth = WindowGrowth(bytes: limits.effectiveConnectionWindow, widest: limits.widestConnectionWindow)
    }

    /// True if the heads of the open requests take more memory than one connection may use.
    public var hasTooManyHeads: Bool { headBytes > headLimit }

    /// - Parameter stream: nil if the bytes are dropped.
    func receive(_ count: Int, on stream: HTTP2Stream?) {
        if isShort, let stream, stream.fault == nil {
            stream.heldWindowBytes += count
        } else {
            session.consumeConnection(count)
        }
    }

    /// Returns credit for bytes of a stream that the other side has taken.
    func take(_ count: Int, from stream: HTTP2Stream) {
        session.consume(count, of: stream.id)
        giveBack(min(count, stream.heldWindowBytes), of: stream)
        guard !isShort else { return }
        if let wider = stream.windowGrowth.take(count) { session.widenWindow(of: stream.id, to: wider) }
        if let wider = growth.take(count) { session.widenWindow(of: 0, to: wider) }
    }

    func setShort(_ isShort: Bool, among streams: [HTTP2Stream]) {
        guard isShort != self.isShort else { return }
        self.isShort = isShort
        if !isShort { for stream in streams { forget(stream) } }
    }

    /// Returns what is held of a stream whose bytes will not be taken, or need not be waited for.
    func forget(_ stream: HTTP2Stream) { giveBack(stream.heldWindowBytes, of: stream) }

    private func giveBack(_ count: Int, of stream: HTTP2Stream) {
        guard count > 0 else { return }
        stream.heldWindowBytes -= count
        session.consumeConnection(count)
    }
}

/// Compares the DATA that nghttp2 skips on closed streams with the amount that an honest peer could have sent.
///
/// nghttp2 returns skipped bytes to the connection's window immediately, so that window never stops them. A stream's
/// window does: it is not refilled once the stream is reset, and a peer that has not received the reset can send no
/// more than that window (RFC 9113 sections 5.1 and 6.9). So an honest peer never exceeds this count, however long the
/// delay, and a peer that never stops does.
struct SkippedData {
    /// The maximum number of bytes that can still arrive on one stream: its window, and the frame in which it was
    /// reset.
    private let streamBytes: Int
    /// Bytes on their way for streams that were refused before the peer received our limits.
    private let firstBytes: Int
    private let streamsOfGoAway: Int
    /// Bytes of DATA frames that were not skipped.
    private var readBytes = 0
    private var resetStreams = 0

    init(_ limits: HTTP2Limits) {
        streamBytes = max(limits.widestStreamWindow, Self.initialWindowBytes) + limits.frameBytes
        firstBytes = max(limits.widestConnectionWindow, Self.initialWindowBytes)
        streamsOfGoAway = limits.concurrentStreams
    }

    mutating func noteRead(_ count: Int) { readBytes &+= count }

    /// Counts our RST_STREAM on a stream that the peer had not ended.
    mutating func noteReset() { resetStreams += 1 }

    /// Counts the streams that the peer may open before it receives our GOAWAY; all are skipped.
    mutating func noteGoAway() { resetStreams += streamsOfGoAway }

    /// - Parameters:
    ///   - dataBytes: bytes of all DATA frames received so far.
    ///   - openStreams: streams that may have been reset, with a RST_STREAM still to be written.
    func isTooMuch(of dataBytes: Int, openStreams: Int) -> Bool {
        dataBytes - readBytes > firstBytes + (resetStreams + openStreams) * streamBytes
    }

    /// The windows of a stream and of a connection before SETTINGS change them (RFC 9113 section 6.9.2).
    private static let initialWindowBytes = 65_535
}

/// Body bytes that went into frames and were not yet reported to their stream's handler, the oldest first.
struct DrainedBytes {
    struct Piece {
        let stream: HTTP2Stream
        var count: Int
    }

    private var pieces: [Piece] = []

    mutating func note(_ count: Int, from stream: HTTP2Stream) {
        if let last = pieces.last, last.stream === stream { return pieces[pieces.count - 1].count += count }
        pieces.append(Piece(stream: stream, count: count))
    }

    mutating func takeFirst() -> Piece? { pieces.isEmpty ? nil : pieces.removeFirst() }

    mutating func forget() { pieces = [] }
}
