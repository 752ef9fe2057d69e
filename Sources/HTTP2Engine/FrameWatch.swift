import Bytes

/// Reads the frame headers of a peer before nghttp2 does, and counts what nghttp2 1.52 does not: every frame, including
/// those that it skips without an error. Source: RFC 9113 sections 4.1, 6 and 10.5.
struct FrameWatch {
    /// Complete frames. HEADERS and its CONTINUATION frames count as one.
    private(set) var completed = 0
    /// Bytes of DATA in them, padding included (RFC 9113 section 6.9.1).
    private(set) var completedDataBytes = 0
    private let limits: HTTP2Limits
    private let isServer: Bool
    private var pings: TokenBucket
    private var settings: TokenBucket
    private var emptyData: TokenBucket
    private var priorities: TokenBucket
    private var windowUpdates: TokenBucket
    private var otherFrames: TokenBucket
    private var resets: TokenBucket
    private var originHeads: TokenBucket
    /// HEADERS that answers to our requests may still use.
    private var owedHeads = 0
    private var peerStreams: PeerStreams
    /// Streams that the peer used after it had reset them. Each must be answered with a reset.
    private(set) var lateStreams: [Int32] = []

    /// Bytes to skip: of the preface, then of payloads.
    private var toSkip: Int
    /// The frame header being read: the number of bytes so far, and the current part as a number.
    private var headerBytes = 0
    private var header: UInt64 = 0
    private var frame = Frame(0)
    private var isInFrame = false
    /// True if ``completed`` grows at the end of the frame that is being skipped.
    private var completes = false
    /// The CONTINUATION frames of a head whose END_HEADERS has not arrived yet; nil outside a head.
    private var continuations: Int?
    private var blockBytes = 0

    init(limits: HTTP2Limits, isServer: Bool) {
        self.limits = limits
        self.isServer = isServer
        // The connection preface of RFC 9113 section 3.4 comes before a client's first frame.
        toSkip = isServer ? 24 : 0
        pings = TokenBucket(limits.pings)
        settings = TokenBucket(limits.settings)
        emptyData = TokenBucket(limits.emptyData)
        priorities = TokenBucket(limits.priorities)
        windowUpdates = TokenBucket(limits.windowUpdates)
        otherFrames = TokenBucket(limits.otherFrames)
        resets = TokenBucket(limits.resets)
        originHeads = TokenBucket(limits.originHeads)
        peerStreams = PeerStreams(opens: isServer)
    }

    /// Reads the peer's next bytes.
    ///
    /// - Returns: the number of bytes before the frame that fails the connection, and the failure; nil if none fails it.
    mutating func look(at bytes: UnsafeRawBufferPointer, ticks: Int64) -> (sound: Int, failure: HTTP2Failure)? {
        let view = ByteView(bytes)
        var index = 0
        var frameStart = 0
        while index < view.count {
            if toSkip > 0 {
                let step = min(toSkip, view.count &- index)
                toSkip &-= step
                index &+= step
                if toSkip == 0 { endFrame() }
                continue
            }
            if headerBytes == 0 { frameStart = index }
            header = header &<< 8 | UInt64(view[index])
            headerBytes &+= 1
            index &+= 1
            if headerBytes == 5 {
                frame = Frame(header)
                header = 0
            }
            guard headerBytes == 9 else { continue }
            let stream = UInt32(truncatingIfNeeded: header) & Self.streamBits
            headerBytes = 0
            header = 0
            if let failure = begin(frame, on: stream, ticks) { return (frameStart, failure) }
            isInFrame = true
            toSkip = frame.length
            if toSkip == 0 { endFrame() }
        }
        return nil
    }

    /// Bytes of the incomplete frame header.
    var openHeaderBytes: Int { headerBytes }

    /// Returns and forgets ``lateStreams``.
    mutating func takeLateStreams() -> [Int32] {
        let streams = lateStreams
        lateStreams = []
        return streams
    }

    /// Records that we sent a request: its answer may have a head and trailers. The unused HEADERS of finished requests
    /// expire, so that a peer cannot save them up.
    mutating func noteRequest(activeStreams: Int) {
        owedHeads = min(owedHeads, activeStreams &* Self.headsPerAnswer) &+ Self.headsPerAnswer
    }

    /// Counts a stream that was reset because of the peer; false if that exceeds the limit. Only clients have a limit: an
    /// origin can only reset streams that we opened.
    mutating func noteReset(ticks: Int64) -> Bool { !isServer || resets.take(at: ticks) }

    /// Allows the WINDOW_UPDATE frames that our DATA frame causes.
    mutating func noteDataSent() { windowUpdates.put(limits.windowUpdatesPerData) }

    /// Counts a DATA frame that contained only padding; false if that exceeds the limit.
    mutating func notePadding(ticks: Int64) -> Bool { emptyData.take(at: ticks) }

    private mutating func endFrame() {
        if isInFrame, completes {
            completed &+= 1
            if frame.type == .data { completedDataBytes &+= frame.length }
        }
        isInFrame = false
    }

    private mutating func begin(_ frame: Frame, on stream: UInt32, _ ticks: Int64) -> HTTP2Failure? {
        guard frame.length <= limits.frameBytes else { return .violation(code: Self.frameSizeError, library: 0) }
        completes = true
        if let count = continuations { return continueHead(frame, after: count) }
        if let failure = note(frame, on: stream, ticks) { return failure }
        var isFine = true
        switch frame.type {
        case .data: if frame.length == 0, !frame.endsStream { isFine = emptyData.take(at: ticks) }
        case .headers:
            blockBytes = frame.length
            continuations = frame.endsHeaders ? nil : 0
            completes = frame.endsHeaders
            if !isServer { isFine = takeHead(ticks) }
        case .priority, .priorityUpdate: isFine = priorities.take(at: ticks)
        case .resetStream: isFine = noteReset(ticks: ticks)
        case .settings: isFine = settings.take(at: ticks)
        case .ping: isFine = pings.take(at: ticks)
        case .windowUpdate: isFine = windowUpdates.take(at: ticks)
        // Our first SETTINGS disable push, and a CONTINUATION must follow its HEADERS.
        case .pushPromise, .continuation: return .violation(code: Self.protocolError, library: 0)
        case .goAway, .none: isFine = otherFrames.take(at: ticks)
        }
        return isFine ? nil : .flood(frame.flood(isServer: isServer))
    }

    /// Compares a frame with the earlier frames of its stream. Source: RFC 9113 sections 5.1 and 5.1.1.
    private mutating func note(_ frame: Frame, on stream: UInt32, _ ticks: Int64) -> HTTP2Failure? {
        guard stream != 0 else { return nil }
        if frame.type == .resetStream { peerStreams.noteOver(stream, isReset: true) }
        guard frame.type == .data || frame.type == .headers else { return nil }
        // A client's later HEADERS are trailers, which end their stream (RFC 9113 section 8.1). nghttp2 resets the stream
        // at the first HEADERS that do not, and accepts all later ones without an error.
        if isServer, frame.type == .headers, !frame.endsStream, !peerStreams.isNew(stream) {
            guard otherFrames.take(at: ticks) else { return .flood(.heads) }
        }
        switch peerStreams.validity(of: stream, isHead: frame.type == .headers) {
        case .sound: if frame.endsStream { peerStreams.noteOver(stream, isReset: false) }
        case .afterReset:
            // A peer knows which streams it has reset, and we must answer each such frame.
            guard resets.take(at: ticks) else { return .flood(.resets) }
            lateStreams.append(Int32(bitPattern: stream))
        case .afterEnd: return .violation(code: HTTP2ErrorCode.streamClosed.rawValue, library: 0)
        case .smaller: return .violation(code: Self.protocolError, library: 0)
        }
        return nil
    }

    /// Counts an origin's HEADERS beyond those of its answers; false if that exceeds the limit.
    private mutating func takeHead(_ ticks: Int64) -> Bool {
        guard owedHeads > 0 else { return originHeads.take(at: ticks) }
        owedHeads &-= 1
        return true
    }

    private mutating func continueHead(_ frame: Frame, after count: Int) -> HTTP2Failure? {
        guard frame.type == .continuation else { return .violation(code: Self.protocolError, library: 0) }
        blockBytes += frame.length
        guard count < limits.continuationFrames, blockBytes <= limits.headerBlockBytes else {
            return .flood(.continuations)
        }
        continuations = frame.endsHeaders ? nil : count + 1
        completes = frame.endsHeaders
        return nil
    }

    private static let protocolError = HTTP2ErrorCode.protocolError.rawValue
    private static let frameSizeError = HTTP2ErrorCode.frameSizeError.rawValue
    /// The highest bit of a stream's number is reserved (RFC 9113 section 4.1).
    private static let streamBits: UInt32 = 0x7FFF_FFFF
    /// A head and trailers (RFC 9113 section 8.1).
    private static let headsPerAnswer = 2
}

/// The first five bytes of a frame header.
private struct Frame {
    let length: Int
    /// nil for an unknown type.
    let type: FrameType?
    let flags: UInt8

    init(_ bytes: UInt64) {
        length = Int(truncatingIfNeeded: bytes &>> 16)
        type = FrameType(rawValue: UInt8(truncatingIfNeeded: bytes &>> 8))
        flags = UInt8(truncatingIfNeeded: bytes)
    }

    var endsStream: Bool { flags & 0x01 != 0 }
    var endsHeaders: Bool { flags & 0x04 != 0 }

    func flood(isServer: Bool) -> HTTP2Flood {
        switch type {
        case .data: .emptyData
        case .headers where !isServer: .heads
        case .headers, .continuation, .pushPromise: .continuations
        case .priority, .priorityUpdate: .priorities
        case .resetStream: .resets
        case .settings: .settings
        case .ping: .pings
        case .windowUpdate: .windowUpdates
        case .goAway, .none: .otherFrames
        }
    }
}

/// Types of frames (RFC 9113 section 6, RFC 9218 section 7.1).
enum FrameType: UInt8 {
    case data = 0
    case headers = 1
    case priority = 2
    case resetStream = 3
    case settings = 4
    case pushPromise = 5
    case ping = 6
    case goAway = 7
    case windowUpdate = 8
    case continuation = 9
    case priorityUpdate = 16
}

/// Counts events against a rate with a burst.
struct TokenBucket {
    private let capacity: Int64
    private let perSecond: Int64
    /// Events that may still come, in millionths.
    private var level: Int64
    /// The time of `level`, in microseconds.
    private var asOf: Int64 = 0

    init(_ rate: HTTP2Limits.Rate) {
        perSecond = Int64(clamping: rate.perSecond)
        capacity = Int64(clamping: rate.burst) &* Self.event
        level = capacity
    }

    /// Counts one event at `ticks`; false if it exceeds the rate.
    mutating func take(at ticks: Int64) -> Bool {
        let passed = min(max(ticks - asOf, 0), Self.longestPause)
        if passed > 0 {
            asOf = ticks
            level = min(capacity, level + passed * perSecond)
        }
        guard level >= Self.event else { return false }
        level -= Self.event
        return true
    }

    /// Allows `count` more events, beyond the rate but not beyond the burst.
    mutating func put(_ count: Int) {
        level = min(capacity, level + Int64(clamping: count) * Self.event)
    }

    private static let event: Int64 = 1_000_000
    /// A day in microseconds; keeps the product of time and rate far from its largest value.
    private static let longestPause: Int64 = 86_400_000_000
}
