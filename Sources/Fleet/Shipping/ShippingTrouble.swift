/// What people are told while a spool is not shipped: the cause once, and when it changes or goes on for long; and the
/// end of it.
struct ShippingTrouble {
    private var cause: String?
    private var since: ContinuousClock.Instant?
    private var told: ContinuousClock.Instant?
    /// What is lost was told of.
    private var lost: Int64 = 0

    /// - Returns: nil where all was said.
    mutating func words(for error: any Error, now: ContinuousClock.Instant) -> String? {
        let words = "\(error)"
        since = since ?? now
        if words == cause, let told, now - told < betweenComplaints { return nil }
        (cause, told) = (words, now)
        return "loads are not shipped: \(words); they stay in the spool"
    }

    /// The server takes what it is sent.
    mutating func isOver(with shipping: Shipping, at path: String, now: ContinuousClock.Instant) -> String? {
        var sentences: [String] = []
        if let since { sentences.append("loads are shipped again after \((now - since).components.seconds) s") }
        if shipping.lost > lost {
            sentences.append(
                "the shared store was set back: \(shipping.lost) loads that it had are neither there nor in \(path)")
        }
        self = ShippingTrouble()
        lost = shipping.lost
        return sentences.isEmpty ? nil : sentences.joined(separator: "; ")
    }
}

private let betweenComplaints = Duration.seconds(600)
