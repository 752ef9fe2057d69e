/// The limits for a peer on one connection.
public struct HTTP2Limits: Sendable, Hashable {
    /// A burst, and a rate per second in the long run.
    public struct Rate: Sendable, Hashable {
        public var burst: Int
        public var perSecond: Int

        public init(burst: Int, perSecond: Int) {
            self.burst = burst
            self.perSecond = perSecond
        }
    }

    /// Streams that the peer may have open at the same time. RFC 9113 section 6.5.2 recommends at least 100.
    public var concurrentStreams = 100
    /// Bytes of a body that a peer may send on a new stream before they are forwarded.
    public var streamWindowBytes = 65_536
    /// The size to which a stream's window grows, in bytes, as the other side takes what was sent.
    public var widestStreamWindowBytes = 262_144
    /// Unconsumed bytes of all streams together on a new connection, and never more than all stream windows.
    public var connectionWindowBytes = 262_144
    /// The size to which the connection's window grows, in bytes: at a round trip of 100 ms, 10 MB per second.
    public var widestConnectionWindowBytes = 1_048_576
    /// Bytes of the heads of all open requests, counted like ``headerListBytes``: ten of the largest heads, or 100 of 6.5 KB.
    /// HPACK can repeat 4 KB in 100 streams 1,400 times. A request beyond is refused with REFUSED_STREAM.
    public var openHeadBytes = 655_360
    /// Bytes of a head or of trailers, counted as in RFC 9113 section 6.5.2, with 32 for each field. Same as
    /// `WireLimits`.
    public var headerListBytes = 65_536
    /// Fields of a head or of trailers, including pseudo-header fields and pieces of Cookie. Same as `WireLimits`.
    public var fieldCount = 256
    /// Bytes of one frame's payload: the minimum that RFC 9113 section 4.2 allows, so that no frame is large.
    public var frameBytes = 16_384

    /// CONTINUATION frames of one head; nghttp2 1.61 has the same limit (CVE-2024-28182), and 1.52 has none.
    public var continuationFrames = 8
    /// Bytes of one head on the wire: a header list without compression, and one more frame.
    public var headerBlockBytes = 81_920

    /// Interim heads (1xx) of one answer. An origin that works for ten minutes and sends 102 every twenty seconds, as
    /// RFC 2518 section 10.1 recommended, sends thirty. Same as `WireLimits`.
    public var interimHeads = 64
    /// Bytes of all interim heads of one answer, counted like ``headerListBytes`` and with the same limit: 58 KB of
    /// HPACK can decode to 120 MB. Same as `WireLimits`.
    public var interimHeadBytes = 65_536

    /// Resets by the client, our resets of streams that broke a rule (CVE-2023-44487, CVE-2025-8671), and frames of
    /// either peer on streams that it had reset itself. The burst is twice all concurrent streams, as when a page is
    /// left twice; the rate is that of nghttp2 1.57.
    public var resets = Rate(burst: 200, perSecond: 33)
    /// PING (CVE-2019-9512). gRPC measures bandwidth with one per round trip, which is short on one machine.
    public var pings = Rate(burst: 1_000, perSecond: 1_000)
    /// SETTINGS (CVE-2019-9515), each of which can affect every stream. Peers send one or two.
    public var settings = Rate(burst: 32, perSecond: 1)
    /// Empty DATA that does not end its stream (CVE-2019-9518).
    public var emptyData = Rate(burst: 100, perSecond: 10)
    /// PRIORITY and PRIORITY_UPDATE (CVE-2019-9513). Browsers send one or two for each request.
    public var priorities = Rate(burst: 500, perSecond: 500)
    /// WINDOW_UPDATE beyond ``windowUpdatesPerData`` for each DATA frame that we sent.
    public var windowUpdates = Rate(burst: 1_000, perSecond: 1_000)
    /// Two are normal for each DATA frame, one for the stream and one for the connection; Envoy allows ten.
    public var windowUpdatesPerData = 10
    /// GOAWAY, frames of unknown types, and a client's trailers that do not end their stream. Good clients send none of
    /// these; RFC 8701-style greasing sends a few.
    public var otherFrames = Rate(burst: 100, perSecond: 10)
    /// HEADERS of an origin beyond a head and trailers for each request: interim heads, and those without a request.
    public var originHeads = Rate(burst: 1_000, perSecond: 100)
    /// Acknowledgements of PING and SETTINGS that wait because the peer does not read. nghttp2's own default. If this
    /// many frames wait, frames on streams that the peer had reset are not answered.
    public var acknowledgementsWaiting = 1_000

    public init() {}

    /// The announced connection window, in bytes.
    var effectiveConnectionWindow: Int { min(connectionWindowBytes, concurrentStreams * streamWindowBytes, .windowMax) }

    /// The widest windows of a stream and of the connection, in bytes.
    var widestStreamWindow: Int { max(streamWindowBytes, widestStreamWindowBytes) }
    var widestConnectionWindow: Int { max(effectiveConnectionWindow, widestConnectionWindowBytes) }
}

extension Int {
    /// Largest window, in bytes (RFC 9113 section 6.9.1).
    static let windowMax = 2_147_483_647
}
