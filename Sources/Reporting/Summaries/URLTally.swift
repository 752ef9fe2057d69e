/// How many different URLs loads asked for, without their queries. Keeps a number for each, and no text: a crawl must
/// not fill the memory.
public struct URLTally: Sendable, Hashable {
    /// Of this process: other ones hash otherwise.
    private var digests: Set<Int> = []

    package init() {}

    /// Beyond this it no longer counts.
    public static let limit = 1000

    /// At most ``limit``.
    public var count: Int { digests.count }
    /// There may be more than ``count``.
    public var isFull: Bool { digests.count >= Self.limit }

    /// - Parameter url: bytes of a URL; always with its origin, or always without.
    package mutating func add(_ url: UnsafeBufferPointer<UInt8>.SubSequence) {
        guard !isFull else { return }
        let path = url[..<(url.firstIndex(of: UInt8(ascii: "?")) ?? url.endIndex)]
        var hasher = Hasher()
        hasher.combine(bytes: UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: path)))
        digests.insert(hasher.finalize())
    }

    /// - Parameter digest: of a URL without its query, always made in the same way.
    package mutating func add(digest: Int) {
        if !isFull { digests.insert(digest) }
    }

    /// Of another group: URLs of another origin, or of the same.
    mutating func add(_ other: URLTally) {
        guard !isFull else { return }
        digests.formUnion(other.digests)
    }
}
