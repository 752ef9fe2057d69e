import ATSPolicy
public import Records

extension HandshakePicture {
    /// - Parameters:
    ///   - verdict: the load's verdict.
    ///   - handshake: its handshake; nil if there was none, or it was not stored.
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
        case .notTLS: "bytes that are not TLS"
        case .timeout: "a timeout"
        case .chainTooLarge: "more certificates than the gate reads"
        case .library: "a message that OpenSSL rejects"
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

    /// - Parameter isBeforeChoice: true if the load ended before the origin chose a suite.
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
        case .blocked, .failed: load.shownWords ?? load.apple?.codes ?? "a closed connection"
        case .wouldBlock: "no error: \(load.policy.mode ?? "audit") mode let it through"
        case .allowed, .outside: load.status.map { "status \($0)" } ?? "the server's response"
        }
    }
}
