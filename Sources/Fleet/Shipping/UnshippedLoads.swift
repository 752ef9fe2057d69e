public import Reporting

/// The loads of a spool that cannot be shipped: refused by the server, or with text that it cannot keep. Each counts once, however often
/// connections break, and each cause is reported once.
public struct UnshippedLoads {
    /// The number of loads that the server refused.
    public private(set) var refused = 0
    /// The server's message for the last of them.
    public private(set) var lastRefusal: String?
    private var leftOut = 0
    /// The highest refused number: after a broken connection, the same load is refused again.
    private var lastRefused: Int64 = 0
    private var reported: Set<String> = []

    public init() {}

    public var count: Int { refused + leftOut }

    /// - Returns: a notice for the user; nil if the cause was reported before.
    public mutating func note(_ refusal: Shipping.Refusal?, of spool: Spool) -> String? {
        leftOut = spool.leftOut
        if let refusal, refusal.number > lastRefused {
            refused += 1
            (lastRefused, lastRefusal) = (refusal.number, refusal.words)
            guard reported.insert(refusal.state).inserted else { return nil }
            return "the shared store refuses a load because of its content: \(refusal.words); \(Self.stay(spool))"
        }
        guard leftOut > 0, reported.insert("").inserted else { return nil }
        return "some loads are not shipped, because they contain text with U+0000; \(Self.stay(spool))"
    }

    private static func stay(_ spool: Spool) -> String {
        "such loads stay in \(spool.path) for a day after later loads were shipped"
    }
}
