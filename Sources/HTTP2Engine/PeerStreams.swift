/// The streams that a peer has opened, ended and reset, derived only from its own frames. nghttp2 1.52 silently ignores
/// frames on a closed stream, and a new stream with a smaller id.
///
/// Only the peer's own earlier frames count. So frames that crossed one of our resets are never counted against the
/// peer (RFC 9113 section 5.1). Memory is bounded; forgotten streams are left to nghttp2.
struct PeerStreams {
    /// The validity of a frame on its stream.
    enum FrameValidity: Equatable {
        case sound
        /// After the peer's own RST_STREAM: an error of the stream.
        case afterReset
        /// After the peer's own END_STREAM: an error of the connection, of type STREAM_CLOSED.
        case afterEnd
        /// HEADERS on a stream below the newest that was never opened (section 5.1.1).
        case smaller
    }

    /// True if the peer is the client, which opens streams with odd ids.
    let opens: Bool
    private var newest: UInt32 = 0
    /// Streams that the peer has ended or reset: a table by id, in which a later stream replaces an earlier one; see
    /// ``resetMark``.
    private var over: [UInt32] = []
    /// The latest ranges of skipped ids, in a ring.
    private var gaps: [ClosedRange<UInt32>] = []
    private var gapsNext = 0
    /// The last stream found sound: most frames belong to the same stream as the one before.
    private var known: UInt32 = 0

    init(opens: Bool) { self.opens = opens }

    /// Classifies a DATA or HEADERS frame on `id`, and notes a new stream.
    mutating func validity(of id: UInt32, isHead: Bool) -> FrameValidity {
        guard id != known else { return .sound }
        if opens, id > newest {
            guard isHead, id & 1 == 1 else { return .sound }
            noteOpening(id)
        } else if let place = overPlace(of: id) {
            return over[place] == id ? .afterEnd : .afterReset
        } else if isHead, gaps.contains(where: { $0.contains(id) }) {
            return .smaller
        }
        known = id
        return .sound
    }

    /// True if a frame on `id` would open it, because the peer opens streams.
    func isNew(_ id: UInt32) -> Bool { opens && id > newest }

    private mutating func noteOpening(_ id: UInt32) {
        let next = newest == 0 ? 1 : newest + 2
        if id > next { note(gap: next...(id - 1)) }
        newest = id
    }

    /// Notes that the peer has ended its half, or reset the stream.
    mutating func noteOver(_ id: UInt32, isReset: Bool) {
        if id == known { known = 0 }
        guard !opens || id <= newest else { return }
        if over.isEmpty { over = Array(repeating: 0, count: Self.longestOver) }
        over[Self.overPlace(id)] = isReset ? id | Self.resetMark : id
    }

    /// Returns the index of a stream in `over`; nil if it is not there.
    private func overPlace(of id: UInt32) -> Int? {
        guard id != 0, !over.isEmpty else { return nil }
        let place = Self.overPlace(id)
        return over[place] & ~Self.resetMark == id ? place : nil
    }

    /// Returns the index for an id. Ids go up by two.
    private static func overPlace(_ id: UInt32) -> Int { Int(id >> 1) % longestOver }

    private mutating func note(gap: ClosedRange<UInt32>) {
        if gaps.count < Self.longestGaps {
            gaps.append(gap)
        } else {
            gaps[gapsNext] = gap
            gapsNext = (gapsNext + 1) % Self.longestGaps
        }
    }

    /// Stream ids have 31 bits (RFC 9113 section 4.1), so the highest bit is free.
    private static let resetMark: UInt32 = 1 << 31
    /// Ended and reset streams that are remembered: more than may be open at the same time.
    private static let longestOver = 128
    /// Clients count up by two, and have no reason to skip ids often.
    private static let longestGaps = 16
}
