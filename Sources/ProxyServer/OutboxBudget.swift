/// How much may wait in front of each slow reader of one loop, so that all of them together stay within a bound.
final class OutboxBudget {
    /// Clients that have not taken what waits for them.
    private(set) var slowReaders = 0

    /// Bytes that may wait in front of one client before its writer is paused.
    ///
    /// - Parameter usual: for as long as few are slow.
    func highWater(usual: Int) -> Int {
        guard slowReaders > 0 else { return usual }
        return min(usual, max(Self.bytes / slowReaders, Self.least))
    }

    func readerBecameSlow() { slowReaders += 1 }

    func readerCaughtUp() { slowReaders = max(0, slowReaders - 1) }

    /// 16 MiB: 64 readers may have 256 KiB each, a thousand 16 KiB.
    private static let bytes = 16_777_216
    /// A TLS record's worth: less would make a system call of every few bytes (RFC 8446 section 5.1: 16 KiB).
    private static let least = 16_384
}
