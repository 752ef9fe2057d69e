import Synchronization

/// A dictionary with limits on bytes and number of entries that drops the least recently used ones.
///
/// Entries are in two halves. New and recently read entries are in the first; once that is full, it becomes the second,
/// and the entries of the old second half are dropped. So an entry stays if less than half of the limit is added
/// between two reads of it. A lookup in the first half costs a single hash lookup.
///
/// A copy shares the budget of its original, so keep only one.
public struct WeighedCache<Key: Hashable, Value> {
    @usableFromInline struct Entry {
        @usableFromInline let value: Value
        let bytes: Int
    }

    @usableFromInline var recent: [Key: Entry] = [:]
    private var earlier: [Key: Entry] = [:]
    private var recentBytes = 0
    private var earlierBytes = 0
    private let budget: ByteBudget
    private let halfCount: Int

    /// - Parameters:
    ///   - limit: bytes of all entries together.
    ///   - count: highest number of entries.
    public init(_ purpose: ByteBudget.Purpose, limit: Int, count: Int) {
        budget = ByteBudget(purpose, limit: limit)
        halfCount = max(1, count / 2)
    }

    public var count: Int { recent.count + earlier.count }
    /// The total weight of all entries.
    public var bytes: Int { recentBytes + earlierBytes }

    /// Returns the value for a key, and marks it as recently used.
    @inlinable public mutating func value(for key: Key) -> Value? {
        if let entry = recent[key] { return entry.value }
        return valueOfEarlier(key)
    }

    @usableFromInline mutating func valueOfEarlier(_ key: Key) -> Value? {
        guard !earlier.isEmpty, let entry = earlier.removeValue(forKey: key) else { return nil }
        earlierBytes -= entry.bytes
        budget.add(-entry.bytes)
        put(entry, for: key)
        return entry.value
    }

    /// Stores `value`, replacing an earlier one. A value larger than half of the limit is not stored.
    ///
    /// - Parameter bytes: approximate size of key and value; the overhead of the dictionary is added.
    public mutating func keep(_ value: Value, for key: Key, bytes: Int) {
        remove(key)
        put(Entry(value: value, bytes: max(0, bytes) + Self.placeBytes), for: key)
    }

    public mutating func remove(_ key: Key) {
        if let entry = recent.removeValue(forKey: key) {
            recentBytes -= entry.bytes
            budget.add(-entry.bytes)
        } else if let entry = earlier.removeValue(forKey: key) {
            earlierBytes -= entry.bytes
            budget.add(-entry.bytes)
        }
    }

    public mutating func removeAll() {
        budget.add(-bytes)
        (recent, earlier) = ([:], [:])
        (recentBytes, earlierBytes) = (0, 0)
    }

    private mutating func put(_ entry: Entry, for key: Key) {
        guard entry.bytes <= budget.limit / 2 else { return }
        if recent.count >= halfCount || recentBytes + entry.bytes > budget.limit / 2 {
            budget.add(-earlierBytes)
            (earlier, recent) = (recent, [:])
            (earlierBytes, recentBytes) = (recentBytes, 0)
        }
        recent[key] = entry
        recentBytes += entry.bytes
        budget.add(entry.bytes)
    }

    /// The approximate overhead of an entry in addition to its key and value.
    private static var placeBytes: Int { 64 }
}

extension WeighedCache.Entry: Sendable where Value: Sendable {}
extension WeighedCache: Sendable where Key: Sendable, Value: Sendable {}

/// A limit on the bytes that are kept of peers' data. Each cache, queue and table that outlives its connection has one.
///
/// Bytes are counted when an entry is added, from the lengths of its texts plus overhead. ``heldBytes(for:)`` is the
/// sum over all budgets of one purpose in this process.
public final class ByteBudget: Sendable {
    /// The use of the bytes. Raw values are labels of a metric: never rename one, only add.
    public enum Purpose: String, Sendable, CaseIterable {
        /// Certificates of origins, as they were judged.
        case chains
        /// Certificates made for clients.
        case leaves
        /// Idle connections to origins, kept for reuse.
        case links
        /// Verdicts on hosts that are passed through.
        case verdicts
        /// Rulings on targets, under the policy.
        case rulings
        /// Clients that accepted or rejected the gate's certificates.
        case pinning
        /// CAs of origins, to recognize a decrypting proxy.
        case issuers
        /// Targets of redirects.
        case redirects
        /// Releases of clients, by their User-Agent.
        case systems
        /// Meanings of ClientHellos.
        case hellos
        /// Addresses of names.
        case names
        /// Parts that records share, for writing them.
        case forms
        /// Parts of records with masked names.
        case masks
        /// Rows of a store that were written or read.
        case rows
        /// Console lines that wait to be written.
        case console
        /// Data of the live page.
        case page
    }

    public let limit: Int
    private let held = Atomic<Int>(0)
    private let sum: Total

    /// The sum over all budgets of one purpose.
    private final class Total: Sendable {
        let bytes = Atomic<Int>(0)
    }

    private static let sums = Purpose.allCases.reduce(into: [:]) { $0[$1] = Total() }

    /// - Parameter limit: in bytes.
    public init(_ purpose: Purpose, limit: Int) {
        self.limit = max(0, limit)
        sum = Self.sums[purpose] ?? Total()
    }

    deinit { add(-heldBytes) }

    public var heldBytes: Int { held.load(ordering: .relaxed) }

    /// True if that many more bytes fit.
    public func hasRoom(for bytes: Int) -> Bool { heldBytes + bytes <= limit }

    /// Counts more bytes, or fewer. The caller must respect the limit.
    public func add(_ bytes: Int) {
        guard bytes != 0 else { return }
        held.add(bytes, ordering: .relaxed)
        sum.bytes.add(bytes, ordering: .relaxed)
    }

    /// Returns the number of bytes that this process holds for a purpose.
    public static func heldBytes(for purpose: Purpose) -> Int {
        sums[purpose]?.bytes.load(ordering: .relaxed) ?? 0
    }
}
