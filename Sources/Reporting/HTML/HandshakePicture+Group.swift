import ATSPolicy
import Records

extension HandshakePicture {
    /// Of the first load of a group.
    init(_ group: LoadGroup) {
        let load = group.first
        let facts = group.handshake?.facts
        let origin = load.origin
        let isTLS = load.load.scheme == "https"
        self.init(
            request: "\(load.load.method) \(load.load.scheme)://\(load.load.host)",
            offer: isTLS ? group.handshake?.offer.map(Self.words) ?? "TLS" : nil,
            refusal: facts == nil ? nil : group.handshake?.failure.map(Self.words),
            choice: Self.joined([
                (facts?.version.name ?? origin?.tlsVersion).map { "TLS \($0)" },
                facts?.suite.name ?? origin?.cipherSuite,
            ]),
            served: origin.flatMap { Self.words(of: $0.chain) }, end: Self.end(of: group, isTLS: isTLS),
            trouble: group.key.verdict.isTrouble ? group.key.rule ?? group.key.verdict.words : nil,
            answer: Self.answer(to: group))
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
        case .library: "what OpenSSL refuses"
        }
    }

    private static func words(of chain: [Reported<CertificateFields>]) -> String? {
        guard let leaf = chain.first else { return nil }
        let count = chain.count == 1 ? "1 certificate" : "\(chain.count) certificates"
        return "\(count), \(leaf.keyType.uppercased()) \(leaf.keyBits), \(leaf.signature)"
    }

    private static func joined(_ words: [String?]) -> String? {
        let words = words.compactMap(\.self)
        return words.isEmpty ? nil : words.joined(separator: ", ")
    }

    private static func end(of group: LoadGroup, isTLS: Bool) -> End {
        guard group.key.verdict.isTrouble else { return .none }
        if group.key.rule == RuleID.cleartextLoad.rawValue { return .beforeDialing }
        guard let category = group.key.rule.flatMap(RuleID.init(rawValue:))?.category else { return .judging }
        switch category {
        case .network: return .reaching
        case .tls: return .offering
        case .ats, .trust, .app, .http, .client, .gate:
            // Without facts the origin never got as far as choosing.
            return isTLS && group.first.origin?.tlsVersion == nil && group.handshake?.facts == nil
                ? .offering : .judging
        }
    }

    private static func answer(to group: LoadGroup) -> String {
        switch group.key.verdict {
        case .blocked, .failed: group.shown ?? group.key.codes ?? "a connection that ends"
        case .wouldBlock: "nothing yet: audit mode let it pass"
        case .allowed, .outside: group.first.status.map { "status \($0)" } ?? "the origin's answer"
        }
    }
}
