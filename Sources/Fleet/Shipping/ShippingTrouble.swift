/// The notices about a spool that is not shipped: the cause once, again when it changes or lasts long, and its end.
struct ShippingTrouble {
    private var cause: String?
    private var since: ContinuousClock.Instant?
    private var reported: ContinuousClock.Instant?
    /// The number of lost loads that was reported.
    private var lost: Int64 = 0

    /// - Returns: nil if this was reported recently.
    mutating func words(for error: any Error, now: ContinuousClock.Instant) -> String? {
        let words = "\(error)"
        since = since ?? now
        if words == cause, let reported, now - reported < betweenComplaints { return nil }
        (cause, reported) = (words, now)
        return "loads are not shipped: \(words); they stay in the spool"
    }

    /// Notes that the server accepts loads again, and returns a notice about the end of a trouble.
    mutating func isOver(with shipping: Shipping, at path: String, now: ContinuousClock.Instant) -> String? {
        var sentences: [String] = []
        if let since { sentences.append("loads are shipped again after \((now - since).components.seconds) s") }
        if shipping.lost > lost {
            sentences.append(
                "the shared store was restored to an older state: \(shipping.lost) loads are lost, not even in \(path)")
        }
        self = ShippingTrouble()
        lost = shipping.lost
        return sentences.isEmpty ? nil : sentences.joined(separator: "; ")
    }
}

private let betweenComplaints = Duration.seconds(600)
