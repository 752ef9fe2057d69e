public import ATSPolicy

/// Loads with one shared row and one diagnosis: the same kind of client, the same origin, handshake and verdict, for
/// the same reason. It is judged again, suggested from and shown as one.
public struct LoadGroup: Sendable {
    /// The load that was stored first.
    public let first: LoadRecord
    /// The number of its handshake in its store, so that verdicts can be cached by it; nil without one.
    public let handshakeNumber: Int64?
    /// The release to judge its loads by: initially the one that they were judged by; nil if that is unknown to this
    /// version.
    public var system: OSProfile?
    public package(set) var loads: Int
    /// When the loads began.
    public private(set) var span: LoadSpan
    public private(set) var urls: URLTally

    /// - Parameter span: nil for one load, or if all began at the same time.
    package init(
        _ first: LoadRecord, handshakeNumber: Int64? = nil, loads: Int = 1, span: LoadSpan? = nil,
        urls: URLTally = URLTally()
    ) {
        self.first = first
        self.handshakeNumber = handshakeNumber
        system = OSProfile.named(first.policy.os)
        self.loads = loads
        self.span = span ?? LoadSpan(first.time)
        self.urls = urls
    }

    public var target: LoadTarget { first.load.target }

    /// Counts the loads of another group, too.
    package mutating func add(_ other: LoadGroup) {
        loads += other.loads
        span.add(other.span)
        urls.add(other.urls)
    }

    /// The key for cached verdicts: loads with the same key end the same way under every dictionary.
    package struct Key: Hashable, Sendable {
        let system: OSProfile?
        let target: LoadTarget
        let loader: Loader
        let verdict: Verdict
        let rule: RuleID?
        let handshake: Int64?
        let isLogged: Bool
    }

    /// nil if handshakes cannot be told apart; such loads are judged one by one.
    package var key: Key? {
        guard handshakeNumber != nil || first.handshake == nil else { return nil }
        return Key(
            system: system, target: target, loader: first.client.loader, verdict: first.verdict, rule: first.rule,
            handshake: handshakeNumber, isLogged: first.isLogged)
    }
}

/// When loads began: the first, the last, and the number in each of several slices of equal length between them.
///
/// Slices begin at whole multiples of their length since 1970-01-01 UTC, and double in length whenever there are too
/// many. So the spans of any groups can be merged without loss.
public struct LoadSpan: Sendable, Hashable {
    /// Milliseconds since 1970-01-01 UTC.
    public private(set) var first: Int64
    public private(set) var last: Int64
    /// Milliseconds.
    public private(set) var slice = shortestSlice
    /// Loads by the number of their slice since 1970.
    public private(set) var counts: [Int64: Int] = [:]

    /// A span at `time` without loads.
    package init(_ time: Int64) {
        first = time
        last = time
    }

    /// - Parameters:
    ///   - early: when the first of `loads` began.
    ///   - late: when the last of them did, in the same slice.
    package mutating func add(_ loads: Int, between early: Int64, and late: Int64) {
        first = min(first, early)
        last = max(last, late)
        counts[Self.place(of: early, slice), default: 0] += loads
        if counts.count > mostSlices { widen(to: slice * 2) }
    }

    package mutating func add(_ other: LoadSpan) {
        first = min(first, other.first)
        last = max(last, other.last)
        widen(to: other.slice)
        for (place, loads) in other.counts { counts[Self.place(of: place, slice / other.slice), default: 0] += loads }
        if counts.count > mostSlices { widen(to: slice * 2) }
    }

    /// Doubles the length of slices until it is at least `wanted`.
    package mutating func widen(to wanted: Int64) {
        var length = slice
        while length < wanted { length *= 2 }
        guard length > slice else { return }
        var wider: [Int64: Int] = [:]
        for (place, loads) in counts { wider[Self.place(of: place, length / slice), default: 0] += loads }
        (slice, counts) = (length, wider)
    }

    /// The number of a slice; times before 1970 belong to negative ones.
    package static func place(of time: Int64, _ slice: Int64) -> Int64 {
        time >= 0 ? time / slice : (time + 1) / slice - 1
    }
}

/// Counts different URLs, without their queries. Stores a hash of each and no text, so that a crawl does not fill the
/// memory.
public struct URLTally: Sendable, Hashable {
    /// Valid in this process only, because hashing is seeded.
    private var digests: Set<Int> = []

    package init() {}

    /// The highest number that is counted.
    public static let limit = 1000

    /// At most ``limit``.
    public var count: Int { digests.count }
    /// True if there may be more than ``count``.
    public var isFull: Bool { digests.count >= Self.limit }

    /// - Parameter url: the bytes of a URL, either always with its origin or always without.
    package mutating func add(_ url: UnsafeBufferPointer<UInt8>.SubSequence) {
        guard !isFull else { return }
        let path = url[..<(url.firstIndex(of: UInt8(ascii: "?")) ?? url.endIndex)]
        var hasher = Hasher()
        hasher.combine(bytes: UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: path)))
        digests.insert(hasher.finalize())
    }

    /// - Parameter path: a path, or a URL, as for ``add(_:)``.
    package mutating func add(_ path: String) {
        guard !isFull else { return }
        var path = path
        path.withUTF8 { add($0[...]) }
    }

    /// Adds the URLs of another group.
    fileprivate mutating func add(_ other: URLTally) {
        guard !isFull else { return }
        digests.formUnion(other.digests)
    }
}

private let shortestSlice: Int64 = 125
private let mostSlices = 256
