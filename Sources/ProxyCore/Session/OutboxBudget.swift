/// What waits in front of the readers of one loop, clients and origins, and how much may.
///
/// Each reader may have as much of its usual bytes as the whole has free: when many are slow, each gets less, and all of
/// them together stay below the whole. Buffer shares by what is free: Choudhury and Hahne, "Dynamic queue length
/// thresholds for shared-memory packet switches", IEEE/ACM Transactions on Networking 6(2), 1998.
public final class OutboxBudget {
    /// Bytes that readers have not taken.
    public private(set) var held = 0
    private let bytes: Int

    /// - Parameter bytes: of all readers together.
    public init(bytes: Int = .max) {
        self.bytes = max(bytes, 1)
    }

    /// What waits in front of one reader has changed.
    public func note(from before: Int, to now: Int) { held += now - before }

    /// Bytes that may wait in front of one reader before its writer is held back.
    ///
    /// - Parameter usual: as long as nobody is slow.
    func highWater(usual: Int) -> Int {
        guard held > 0, bytes < .max else { return usual }
        let share = Double(usual) * Double(max(0, bytes - held)) / Double(bytes)
        return min(usual, max(Int(share), Self.least))
    }

    /// A TLS record's worth (RFC 8446 section 5.1): less would make a system call of every few bytes.
    private static let least = 16_384
}
