/// The bytes of one loop that are held for clients and origins, and their limit: outboxes, queued bodies, and heads of
/// open requests, in HTTP/1 and HTTP/2 alike.
///
/// Each reader may hold its usual number of bytes, scaled by the free part of the whole. So when many readers are slow,
/// each gets less, and all of them stay below the whole. Source: Choudhury and Hahne, "Dynamic queue length thresholds for
/// shared-memory packet switches", IEEE/ACM Transactions on Networking 6(2), 1998.
public final class OutboxBudget {
    /// Bytes that readers have not taken.
    public private(set) var held = 0
    private let bytes: Int

    /// - Parameter bytes: the limit for all readers together.
    public init(bytes: Int = .max) {
        self.bytes = max(bytes, 1)
    }

    /// Updates the bytes that are held for one connection.
    public func note(from before: Int, to now: Int) { held += now - before }

    /// True if no new load may start, and the connection that has been stalled longest must end.
    public var isSpent: Bool { held > bytes }

    /// The bytes that may be held for one reader before its writer is paused.
    ///
    /// - Parameter usual: the limit while no reader is slow.
    func highWater(usual: Int) -> Int { max(share(of: usual), min(usual, Self.least)) }

    /// True if one HTTP/2 client holds more than its share, so that its peers get no further window.
    func isShort(holding count: Int) -> Bool { count > share(of: Self.streamBytes) }

    private func share(of usual: Int) -> Int {
        guard held > 0, bytes < .max else { return usual }
        return min(usual, Int(Double(usual) * Double(max(0, bytes - held)) / Double(bytes)))
    }

    /// One TLS record (RFC 8446 section 5.1): with less, each system call would write only a few bytes.
    private static let least = 16_384
    /// The bytes that one HTTP/2 client may hold on all its streams while no reader is slow: as many as one stream of an
    /// HTTP/1.1 origin may.
    private static let streamBytes = 262_144
}
