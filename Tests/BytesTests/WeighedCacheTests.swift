import Bytes
import Seeded
import Testing

@Suite("weighed cache")
struct WeighedCacheTests {
    @Test("random use never exceeds the limits on bytes and on entries")
    func bounded() {
        var generator = SystemRandomNumberGenerator()
        let seed = UInt64.random(in: 0...UInt64.max, using: &generator)
        var dice = SeededGenerator(seed: seed)
        var cache = WeighedCache<Int, Int>(.names, limit: 10_000, count: 40)
        for step in 0..<20_000 {
            let key = Int(dice.next() % 100)
            switch dice.next() % 4 {
            case 0: #expect(cache.value(for: key).map { $0 == key } ?? true, "seed \(seed), step \(step)")
            case 1: cache.remove(key)
            default: cache.keep(key, for: key, bytes: Int(dice.next() % 6_000))
            }
            guard cache.bytes <= 10_000, cache.bytes >= 0, cache.count <= 40 else {
                Issue.record("seed \(seed), step \(step): \(cache.bytes) bytes, \(cache.count) entries")
                return
            }
        }
        cache.removeAll()
        #expect(cache.bytes == 0 && cache.count == 0)
    }

    @Test("an entry in use stays, no matter how many others are added")
    func used() {
        var cache = WeighedCache<Int, String>(.names, limit: 100_000, count: 64)
        cache.keep("kept", for: -1, bytes: 10)
        for key in 0..<1_000 {
            cache.keep("other", for: key, bytes: 10)
            #expect(cache.value(for: -1) == "kept")
        }
        #expect(cache.value(for: 0) == nil)
        #expect(cache.value(for: 999) == "other")
    }

    @Test("a full cache keeps the latest half of its entries, so no flood of entries clears it")
    func latest() {
        var cache = WeighedCache<Int, Int>(.names, limit: 100_000, count: 64)
        for key in 0..<1_000 { cache.keep(key, for: key, bytes: 10) }
        for key in 968..<1_000 { #expect(cache.value(for: key) == key) }
    }

    @Test("a value larger than half of the limit is not kept and evicts nothing else")
    func tooHeavy() {
        var cache = WeighedCache<Int, Int>(.names, limit: 1_000, count: 64)
        cache.keep(1, for: 1, bytes: 100)
        cache.keep(2, for: 2, bytes: 1_000)
        #expect(cache.value(for: 1) == 1 && cache.value(for: 2) == nil)
        cache.keep(3, for: 1, bytes: 1_000)
        #expect(cache.value(for: 1) == nil && cache.bytes == 0)
    }

    @Test("the total over all budgets of a purpose is counted, and released with them")
    func sum() {
        // No other test uses this purpose.
        let before = ByteBudget.heldBytes(for: .redirects)
        do {
            var one = WeighedCache<Int, Int>(.redirects, limit: 1_000, count: 64)
            let other = ByteBudget(.redirects, limit: 10)
            one.keep(1, for: 1, bytes: 100)
            other.add(7)
            #expect(!other.hasRoom(for: 4) && other.hasRoom(for: 3))
            #expect(ByteBudget.heldBytes(for: .redirects) == before + one.bytes + 7)
        }
        #expect(ByteBudget.heldBytes(for: .redirects) == before)
    }
}
