/// A dictionary that remembers what fits into its bytes and its number of entries; what was not asked for longest goes.
///
/// Entries are in two halves. What is put in, or asked for again, is in the first; once that is full it becomes the
/// second, and what the second held goes. So whatever was asked for lately stays, however much is put in by others, as
/// long as less than half of the limit comes between; asking costs one look-up where the entry is in the first half.
///
/// A copy shares the budget of its original: keep one.
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
    ///   - limit: of all entries together, in bytes.
    ///   - count: entries at most.
    public init(_ purpose: ByteBudget.Purpose, limit: Int, count: Int) {
        budget = ByteBudget(purpose, limit: limit)
        halfCount = max(1, count / 2)
    }

    public var count: Int { recent.count + earlier.count }
    /// Of all entries, as they were weighed.
    public var bytes: Int { recentBytes + earlierBytes }

    /// What is remembered, which counts as asking for it.
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

    /// Remembers `value` in place of what was there. What is heavier than half of the limit is not remembered.
    ///
    /// - Parameter bytes: what key and value take, about; the place in the dictionary is added.
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

    /// What an entry takes besides its key and its value, about.
    private static var placeBytes: Int { 64 }
}

extension WeighedCache.Entry: Sendable where Value: Sendable {}
extension WeighedCache: Sendable where Key: Sendable, Value: Sendable {}
