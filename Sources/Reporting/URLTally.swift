import Text

/// How many different URLs loads asked for, without their queries. Keeps a number for each, and no text: a crawl must
/// not fill the memory.
public struct URLTally: Sendable, Hashable {
    private var digests: Set<UInt64> = []

    /// Beyond this it no longer counts.
    public static let limit = 1000

    /// At most ``limit``.
    public var count: Int { digests.count }
    /// There may be more than ``count``.
    public var isFull: Bool { digests.count >= Self.limit }

    /// - Parameter url: bytes of a URL; always with its origin, or always without.
    mutating func add(_ url: some Sequence<UInt8>) {
        guard !isFull else { return }
        digests.insert(Fingerprint.digest(url.lazy.prefix { $0 != UInt8(ascii: "?") }))
    }

    /// Of another group: URLs of another origin, or of the same.
    mutating func add(_ other: URLTally) {
        guard !isFull else { return }
        digests.formUnion(other.digests)
    }
}
