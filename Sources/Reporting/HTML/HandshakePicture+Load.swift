import ATSPolicy
public import Records

extension HandshakePicture {
    public init(_ load: LoadRecord) {
        let handshake = load.handshake
        let facts = handshake?.facts
        let target = load.load.target
        let isTLS = target.scheme == .https
        let rule = load.rule
        self.init(
            request: "\(load.load.method) \(target.scheme.rawValue)://\(target.host)",
            offer: isTLS ? handshake?.offer.map(Self.words) ?? "TLS" : nil,
            refusal: facts == nil ? nil : handshake?.failure.map(Self.words),
            choice: facts.map { "TLS \($0.version.name), \($0.suite.name)" },
            served: facts.flatMap { Self.words(of: $0.served) },
            end: Self.end(load.verdict, rule, isBeforeChoice: isTLS && facts == nil),
            trouble: load.verdict.isTrouble ? rule?.rawValue ?? load.verdict.words : nil, answer: Self.answer(to: load))
    }

    private static func words(_ offer: TLSOffer) -> String {
        let versions =
            offer.minimum == offer.maximum
            ? "TLS \(offer.minimum.name)" : "TLS \(offer.minimum.name) to TLS \(offer.maximum.name)"
        guard !offer.suites.isEmpty else { return versions }
        return "\(versions), \(offer.suites.count) \(offer.suites.count == 1 ? "suite" : "suites")"
    }

    private static func words(_ failure: HandshakeFailure) -> String {
        switch failure {
        case .alertReceived(let alert): "alert \(alert)"
        case .versionNotOffered: "a version that was not offered"
        case .suiteNotOffered: "a suite that was not offered"
        case .closed(let reset): reset ? "a reset" : "the end of the connection"
        case .notTLS: "bytes that are not TLS"
        case .timeout: "a timeout"
        case .nothingToOffer: "no version to offer"
        case .chainTooLarge: "more certificates than the gate reads"
        case .library: "a message that OpenSSL rejects"
        }
    }

    private static func words(of chain: [CertificateFacts]) -> String? {
        guard let leaf = chain.first else { return nil }
        let count = chain.count == 1 ? "1 certificate" : "\(chain.count) certificates"
        return "\(count), \(leaf.keyType.rawValue.uppercased()) \(leaf.keyBits), \(leaf.signature)"
    }

    /// - Parameter isBeforeChoice: true if the load ended before the origin chose a suite.
    private static func end(_ verdict: Verdict, _ rule: RuleID?, isBeforeChoice: Bool) -> End {
        guard verdict.isTrouble else { return .none }
        if rule == .cleartextLoad { return .beforeDialing }
        guard let category = rule?.category else { return .judging }
        switch category {
        case .network: return .reaching
        case .tls: return .offering
        case .ats, .trust, .app, .http, .client, .gate: return isBeforeChoice ? .offering : .judging
        }
    }

    private static func answer(to load: LoadRecord) -> String {
        switch load.verdict {
        case .blocked, .failed: load.shownWords ?? load.diagnosis?.apple?.codes ?? "a closed connection"
        case .wouldBlock: "no error: \(load.policy.mode ?? "audit") mode let it through"
        case .allowed, .outside: load.status.map { "status \($0)" } ?? "the server's response"
        }
    }
}
