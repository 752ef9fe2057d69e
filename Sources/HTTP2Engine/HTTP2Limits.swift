/// How much a peer may ask of one connection.
public struct HTTP2Limits: Sendable, Hashable {
    /// So many at once, and so many a second in the long run.
    public struct Rate: Sendable, Hashable {
        public var burst: Int
        public var perSecond: Int

        public init(burst: Int, perSecond: Int) {
            self.burst = burst
            self.perSecond = perSecond
        }
    }

    /// Streams that the peer may have open at once. RFC 9113 section 6.5.2 advises no fewer than 100.
    public var concurrentStreams = 100
    /// Bytes of a body that a peer may send before they are passed on. With the number of streams this bounds what one
    /// connection can make us hold: 25 MiB.
    public var streamWindowBytes = 262_144
    /// Bytes on their way on all streams together: 16 MiB, and never more than the streams' windows together.
    public var connectionWindowBytes = 16_777_216
    /// Bytes of a head or of trailers, counted as RFC 9113 section 6.5.2 does, with 32 for each field. As `WireLimits`.
    public var headerListBytes = 65_536
    /// Fields of a head or of trailers, pseudo-header fields and pieces of Cookie included. As `WireLimits`.
    public var fieldCount = 256
    /// Bytes of one frame's payload: the least that RFC 9113 section 4.2 allows, so one frame is never large.
    public var frameBytes = 16_384

    /// CONTINUATION frames of one head; nghttp2 1.61 has the same number (CVE-2024-28182). 1.52 has none of its own.
    public var continuationFrames = 8
    /// Bytes of one head as they are on the wire: a header list without any compression, and a frame more.
    public var headerBlockBytes = 81_920

    /// Interim heads (1xx) of one answer. An origin that works for ten minutes and says 102 every twenty seconds, as
    /// RFC 2518 section 10.1 asked, sends thirty. As `WireLimits`.
    public var interimHeads = 64
    /// Bytes of the interim heads of one answer together, counted as ``headerListBytes``, with which they share the
    /// number: by HPACK 58 KB of them can say 120 MB. As `WireLimits`.
    public var interimHeadBytes = 65_536

    /// Resets by the client, streams that broke a rule and made us reset them (CVE-2023-44487, CVE-2025-8671), and of
    /// either side frames on streams that it had reset itself: twice all streams at once, as when a page is left twice,
    /// then the rate of nghttp2 1.57.
    public var resets = Rate(burst: 200, perSecond: 33)
    /// PING (CVE-2019-9512). gRPC measures its bandwidth with one for each round trip, which is short on one machine.
    public var pings = Rate(burst: 1_000, perSecond: 1_000)
    /// SETTINGS (CVE-2019-9515), each of which can touch every stream. Peers send one or two.
    public var settings = Rate(burst: 32, perSecond: 1)
    /// DATA with nothing in it that does not end its stream (CVE-2019-9518).
    public var emptyData = Rate(burst: 100, perSecond: 10)
    /// PRIORITY and PRIORITY_UPDATE (CVE-2019-9513). Browsers send one or two for each request.
    public var priorities = Rate(burst: 500, perSecond: 500)
    /// WINDOW_UPDATE, beyond ``windowUpdatesPerData`` for each DATA frame that we sent.
    public var windowUpdates = Rate(burst: 1_000, perSecond: 1_000)
    /// Two are due for each DATA frame, one for the stream and one for the connection; Envoy allows ten.
    public var windowUpdatesPerData = 10
    /// GOAWAY, frames of types that we do not know, and a client's trailers that do not end their stream, which no good
    /// client sends. RFC 8701-style greasing sends a few.
    public var otherFrames = Rate(burst: 100, perSecond: 10)
    /// HEADERS of an origin beyond a head and trailers for each request: interim heads, and what belongs to no request.
    public var originHeads = Rate(burst: 1_000, perSecond: 100)
    /// Answers to PING and SETTINGS that wait because the peer does not read. nghttp2's own default. With so many frames
    /// waiting, those on streams that the peer had reset are not answered.
    public var acknowledgementsWaiting = 1_000

    public init() {}

    /// The connection window that is announced, in bytes.
    var effectiveConnectionWindow: Int { min(connectionWindowBytes, concurrentStreams * streamWindowBytes, .windowMax) }
}

extension Int {
    /// Largest window, in bytes (RFC 9113 section 6.9.1).
    static let windowMax = 2_147_483_647
}
