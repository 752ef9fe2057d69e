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
    /// Streams that the peer has ended or reset: a table by their numbers, where a later one takes the place of an
    /// earlier one; see ``resetMark``.
    private var over: [UInt32] = []
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
        } else if let place = overPlace(of: id) {
            return over[place] == id ? .afterEnd : .afterReset
        } else if isHead, gaps.contains(where: { $0.contains(id) }) {
            return .smaller
        }
        known = id
        return .sound
    }

    /// A frame on it would open it, as far as the peer opens streams.
    func isNew(_ id: UInt32) -> Bool { opens && id > newest }

    private mutating func noteOpening(_ id: UInt32) {
        let next = newest == 0 ? 1 : newest + 2
        if id > next { note(gap: next...(id - 1)) }
        newest = id
    }

    /// The peer has ended its half, or reset the stream.
    mutating func noteOver(_ id: UInt32, isReset: Bool) {
        if id == known { known = 0 }
        guard !opens || id <= newest else { return }
        if over.isEmpty { over = Array(repeating: 0, count: Self.longestOver) }
        over[Self.overPlace(id)] = isReset ? id | Self.resetMark : id
    }

    /// Where a stream that is over is remembered as that.
    private func overPlace(of id: UInt32) -> Int? {
        guard id != 0, !over.isEmpty else { return nil }
        let place = Self.overPlace(id)
        return over[place] & ~Self.resetMark == id ? place : nil
    }

    /// A peer counts up by two.
    private static func overPlace(_ id: UInt32) -> Int { Int(id >> 1) % longestOver }

    private mutating func note(gap: ClosedRange<UInt32>) {
        if gaps.count < Self.longestGaps {
            gaps.append(gap)
        } else {
            gaps[gapsNext] = gap
            gapsNext = (gapsNext + 1) % Self.longestGaps
        }
    }

    /// Numbers of streams have 31 bits (RFC 9113 section 4.1), so the highest is free.
    private static let resetMark: UInt32 = 1 << 31
    /// Streams remembered as over: more than may be open at once.
    private static let longestOver = 128
    /// Clients count up by two; one that leaves numbers out has no more reason to do so often.
    private static let longestGaps = 16
}
