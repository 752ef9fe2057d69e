import Text

/// The number of timestamps that a leaf needs. Source: Apple support 103214; docs/law/transparency.md#counting.
struct TimestampNeed {
    /// Number of embedded timestamps.
    let embedded: Int
    /// Timestamps of one operator that the policy text counts at most; nil for any number.
    let perOperator: Int?

    init(of leaf: CertificateFacts) {
        guard leaf.notBefore >= CertificateDate.april2021 else {
            embedded = Self.early(leaf)
            perOperator = nil
            return
        }
        let (lifetime, overflow) = leaf.notAfter.subtractingReportingOverflow(leaf.notBefore)
        if overflow || lifetime > 825 * Day.seconds {
            (embedded, perOperator) = (4, nil)
        } else {
            (embedded, perOperator) = lifetime > 180 * Day.seconds ? (3, 2) : (2, 1)
        }
    }

    var words: String { "\(embedded) timestamps in the certificate, or 2 including one from the handshake" }

    private static func early(_ leaf: CertificateFacts) -> Int {
        let (months, rest) = CalendarDay.months(from: leaf.notBefore, to: leaf.notAfter)
        if months < 15 { return 2 }
        if months < 27 || months == 27 && !rest { return 3 }
        return months < 39 || months == 39 && !rest ? 4 : 5
    }
}

/// The timestamps of a handshake that are valid at its time.
struct TimestampCheck {
    enum Answer {
        case pass
        /// Enough, but only if more of one operator are counted than the policy text allows.
        case crowded
        case fail
    }

    private let timestamps: [CountedSCT]
    private let refused: [SCTRefusal]
    /// Number of timestamps dated after `now`.
    private let future: Int
    private let now: Int64

    init(_ handshake: HandshakeCase) {
        now = handshake.now
        guard let review = handshake.facts.sctReview else {
            timestamps = handshake.facts.scts.assumed
            refused = []
            future = 0
            return
        }
        timestamps = review.counted.filter { $0.time <= handshake.now }
        refused = review.refused
        future = review.counted.count - timestamps.count
    }

    /// Passes with two timestamps of currently approved logs if one of them was delivered in the handshake. Otherwise
    /// requires enough embedded timestamps of logs that are or were approved, one of them currently. At least one
    /// timestamp must be from an RFC 6962 log. Source: Apple support 103214; docs/law/transparency.md#counting.
    func meets(_ need: TimestampNeed) -> Answer {
        guard timestamps.contains(where: { !$0.isTiled }) else { return .fail }
        let current = timestamps.filter { $0.retirement.map { $0 > now } ?? true }
        let embedded = timestamps.filter { $0.source == .embedded }
        if current.count >= 2, current.contains(where: { $0.source != .embedded }) { return .pass }
        guard embedded.count >= need.embedded, current.contains(where: { $0.source == .embedded }) else { return .fail }
        return Self.distinct(embedded, need.perOperator) >= need.embedded ? .pass : .crowded
    }

    var words: String {
        let counts = SCTReview(counted: timestamps).counts
        let seen =
            "\(counts.embedded) in the certificate, \(counts.handshake) in the handshake, \(counts.stapled) in the "
            + "stapled OCSP response"
        var others = SCTRefusal.allCases.compactMap { reason -> String? in
            let count = refused.count { $0 == reason }
            return count == 0 ? nil : "\(count) \(reason.rawValue)"
        }
        if future > 0 { others.append("\(future) dated in the future") }
        return others.isEmpty ? seen : "\(seen); not counted: \(others.joined(separator: ", "))"
    }

    /// Returns the number of timestamps if at most `limit` count per operator. Logs without a known operator count
    /// separately.
    private static func distinct(_ timestamps: [CountedSCT], _ limit: Int?) -> Int {
        guard let limit else { return timestamps.count }
        var byOperator: [String: Int] = [:]
        for timestamp in timestamps {
            if let name = timestamp.operatorName { byOperator[name, default: 0] += 1 }
        }
        let nameless = timestamps.count { $0.operatorName == nil }
        return byOperator.values.reduce(nameless) { $0 + min($1, limit) }
    }
}

extension SCTCounts {
    /// Without a log list, every timestamp is assumed to be good.
    fileprivate var assumed: [CountedSCT] {
        [(SCTSource.embedded, embedded), (.handshake, handshake), (.stapled, stapled)].flatMap { source, count in
            Array(repeating: CountedSCT(source: source, time: .min), count: max(0, count))
        }
    }
}
