public import Reporting

/// The loads of a spool that do not come into the shared store: those that the server does not take, and those that cannot
/// be read. Each counts once, however often connections break, and each cause is told once.
public struct UnshippedLoads {
    /// Loads that the server does not take.
    public private(set) var refused = 0
    /// What the server said of the last of them.
    public private(set) var lastRefusal: String?
    private var unreadable = 0
    /// Numbers rise: after a connection broke, the one that was refused last may be met again.
    private var lastRefused: Int64 = 0
    private var told: Set<String> = []

    public init() {}

    public var count: Int { refused + unreadable }

    /// - Returns: what people must know now; nil where they do already.
    public mutating func note(_ refusal: Shipping.Refusal?, of spool: Spool) -> String? {
        unreadable = spool.unreadableLoads
        if let refusal, refusal.number > lastRefused {
            refused += 1
            (lastRefused, lastRefusal) = (refusal.number, refusal.words)
            guard told.insert(refusal.state).inserted else { return nil }
            return "the shared store does not take a load, for what is in it: \(refusal.words); \(Self.stay(spool))"
        }
        guard unreadable > 0, let leftOut = spool.leftOut, told.insert("").inserted else { return nil }
        return "some loads are not shipped: \(leftOut); \(Self.stay(spool))"
    }

    private static func stay(_ spool: Spool) -> String {
        "such loads stay in \(spool.path) for a day after others behind them were shipped"
    }
}
