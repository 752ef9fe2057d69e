/// Which streams a peer has opened, ended and reset, told by its own frames alone. nghttp2 1.52 passes over what comes
/// on a closed stream, and over a new stream with a smaller number, in silence.
///
/// It looks only at what the peer itself had said before, so frames that crossed a reset of ours are never held
/// against it (RFC 9113 section 5.1). What is remembered is bounded; what is forgotten is left to nghttp2.
struct PeerStreams {
    /// What a frame is on its stream.
    enum Standing: Equatable {
        case sound
        /// After the peer's own RST_STREAM: an error of the stream.
        case afterReset
        /// After the peer's own END_STREAM: an error of the connection, of type STREAM_CLOSED.
        case afterEnd
        /// HEADERS on a stream below the newest that was never opened (section 5.1.1).
        case smaller
    }

    /// The peer is the client: it opens streams, with odd numbers.
    let opens: Bool
    private var newest: UInt32 = 0
    /// Streams that the peer has ended or reset, the latest ones, in a ring; see ``resetMark``.
    private var over: [UInt32] = []
    private var overNext = 0
    /// Ranges of numbers that were left out, the latest ones, in a ring.
    private var gaps: [ClosedRange<UInt32>] = []
    private var gapsNext = 0
    /// The stream that was last found sound: most frames belong to the one before.
    private var known: UInt32 = 0

    init(opens: Bool) { self.opens = opens }

    /// What a frame of DATA or HEADERS on `id` is, before it is noted.
    mutating func standing(of id: UInt32, isHead: Bool) -> Standing {
        guard id != known else { return .sound }
        if opens, id > newest {
            guard isHead, id & 1 == 1 else { return .sound }
            noteOpening(id)
        } else if over.contains(id) {
            return .afterEnd
        } else if over.contains(id | Self.resetMark) {
            return .afterReset
        } else if isHead, gaps.contains(where: { $0.contains(id) }) {
            return .smaller
        }
        known = id
        return .sound
    }

    private mutating func noteOpening(_ id: UInt32) {
        let next = newest == 0 ? 1 : newest + 2
        if id > next { Self.put(next...(id - 1), into: &gaps, at: &gapsNext, limit: Self.longestGaps) }
        newest = id
    }

    /// The peer has ended its half, or reset the stream.
    mutating func noteOver(_ id: UInt32, isReset: Bool) {
        if id == known { known = 0 }
        guard !opens || id <= newest else { return }
        if isReset, let index = over.firstIndex(of: id) {
            over[index] = id | Self.resetMark
        } else {
            Self.put(isReset ? id | Self.resetMark : id, into: &over, at: &overNext, limit: Self.longestOver)
        }
    }

    private static func put<Element>(
        _ element: Element, into ring: inout [Element], at next: inout Int, limit: Int
    ) {
        if ring.count < limit {
            ring.append(element)
        } else {
            ring[next] = element
            next = (next + 1) % limit
        }
    }

    /// Numbers of streams have 31 bits (RFC 9113 section 4.1), so the highest is free.
    private static let resetMark: UInt32 = 1 << 31
    /// Streams remembered as over: more than may be open at once.
    private static let longestOver = 128
    /// Clients count up by two; one that leaves numbers out has no more reason to do so often.
    private static let longestGaps = 16
}
