internal import CNghttp2

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
