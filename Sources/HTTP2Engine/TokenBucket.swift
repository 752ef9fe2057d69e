/// Counts events against a rate with a burst.
struct TokenBucket {
    private let capacity: Int64
    private let perSecond: Int64
    /// Events that may still come, in millionths.
    private var level: Int64
    /// The time of `level`, in microseconds.
    private var asOf: Int64 = 0

    init(_ rate: HTTP2Limits.Rate) {
        perSecond = Int64(clamping: rate.perSecond)
        capacity = Int64(clamping: rate.burst) &* Self.event
        level = capacity
    }

    /// Counts one event at `ticks`; false if it exceeds the rate.
    mutating func take(at ticks: Int64) -> Bool {
        let passed = min(max(ticks - asOf, 0), Self.longestPause)
        if passed > 0 {
            asOf = ticks
            level = min(capacity, level + passed * perSecond)
        }
        guard level >= Self.event else { return false }
        level -= Self.event
        return true
    }

    /// Allows `count` more events, beyond the rate but not beyond the burst.
    mutating func put(_ count: Int) {
        level = min(capacity, level + Int64(clamping: count) * Self.event)
    }

    private static let event: Int64 = 1_000_000
    /// A day in microseconds; keeps the product of time and rate far from its largest value.
    private static let longestPause: Int64 = 86_400_000_000
}
