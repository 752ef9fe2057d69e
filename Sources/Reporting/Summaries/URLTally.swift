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
    mutating func add(_ other: URLTally) {
        guard !isFull else { return }
        digests.formUnion(other.digests)
    }
}
