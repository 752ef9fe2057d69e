import ATSPolicy
public import Records

extension HandshakePicture {
    /// - Parameters:
    ///   - verdict: how it ended.
    ///   - handshake: what its handshake showed; nil where there was none, or nobody kept it.
    public init(_ load: DecodedRecord, verdict: Verdict, handshake: RecordedHandshake?) {
        let facts = handshake?.facts
        let origin = load.origin
        let isTLS = load.load.scheme == "https"
        let rule = load.findings.first?.rule
        let hasChosen = facts != nil || origin?.tlsVersion != nil
        self.init(
            request: "\(load.load.method) \(load.load.scheme)://\(load.load.host)",
            offer: isTLS ? handshake?.offer.map(Self.words) ?? "TLS" : nil,
            refusal: facts == nil ? nil : handshake?.failure.map(Self.words),
            choice: Self.joined([
                (facts?.version.name ?? origin?.tlsVersion).map { "TLS \($0)" },
                facts?.suite.name ?? origin?.cipherSuite,
            ]),
            served: origin.flatMap { Self.words(of: $0.chain) },
            end: Self.end(verdict, rule, isBeforeChoice: isTLS && !hasChosen),
            trouble: verdict.isTrouble ? rule ?? verdict.words : nil, answer: Self.answer(verdict, to: load))
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
        case .notTLS: "something that is no TLS"
        case .timeout: "nothing in time"
        case .chainTooLarge: "more certificates than the gate reads"
        case .library: "what OpenSSL refuses"
        }
    }

    private static func words(of chain: [DecodedObject<CertificateFields>]) -> String? {
        guard let leaf = chain.first else { return nil }
        let count = chain.count == 1 ? "1 certificate" : "\(chain.count) certificates"
        return "\(count), \(leaf.keyType.uppercased()) \(leaf.keyBits), \(leaf.signature)"
    }

    private static func joined(_ words: [String?]) -> String? {
        let words = words.compactMap(\.self)
        return words.isEmpty ? nil : words.joined(separator: ", ")
    }

    /// - Parameter isBeforeChoice: the origin never got as far as choosing.
    private static func end(_ verdict: Verdict, _ rule: String?, isBeforeChoice: Bool) -> End {
        guard verdict.isTrouble else { return .none }
        if rule == RuleID.cleartextLoad.rawValue { return .beforeDialing }
        guard let category = rule.flatMap(RuleID.init(rawValue:))?.category else { return .judging }
        switch category {
        case .network: return .reaching
        case .tls: return .offering
        case .ats, .trust, .app, .http, .client, .gate: return isBeforeChoice ? .offering : .judging
        }
    }

    private static func answer(_ verdict: Verdict, to load: DecodedRecord) -> String {
        switch verdict {
        case .blocked, .failed: load.shownWords ?? load.apple?.codes ?? "a connection that ends"
        case .wouldBlock: "nothing yet: \(load.policy.mode ?? "audit") mode let it pass"
        case .allowed, .outside: load.status.map { "status \($0)" } ?? "the origin's answer"
        }
    }
}
