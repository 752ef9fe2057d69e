/// A histogram of durations.
struct TimeHistogram: Sendable {
    /// The sum of all durations, in microseconds.
    private(set) var microseconds: Int64 = 0
    private(set) var count = 0
    private var buckets = [Int](repeating: 0, count: bounds.count + 1)

    mutating func note(microseconds time: Int64) {
        microseconds += time
        count += 1
        buckets[Self.bounds.firstIndex { time <= $0 } ?? Self.bounds.count] += 1
    }

    /// The number of durations that did not exceed each bound, in microseconds; the nil bound includes all.
    var upTo: [(bound: Int64?, count: Int)] {
        var sum = 0
        return buckets.indices.map { index in
            sum += buckets[index]
            return (index < Self.bounds.count ? Self.bounds[index] : nil, sum)
        }
    }

    /// In microseconds: from a load answered on this machine to one that an app gave up.
    private static let bounds: [Int64] = [
        1_000, 2_500, 5_000, 10_000, 25_000, 50_000, 100_000, 250_000, 500_000, 1_000_000, 2_500_000, 5_000_000,
        10_000_000, 30_000_000,
    ]
}
