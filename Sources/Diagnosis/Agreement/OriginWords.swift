import ATSPolicy
import Records

/// The behaviour of an origin, in the words of the cases in `Tests/Agreement`.
enum OriginWords {
    /// - Parameter rule: the rule that blocks the origin; nil if none does.
    /// - Returns: nil if no word exists for it.
    static func of(_ handshake: RecordedHandshake, rule: RuleID?) -> String? {
        if handshake.facts == nil || rule?.category == .tls, let failure = handshake.failure { return word(failure) }
        guard let rule else { return handshake.facts?.version == .tls13 ? "tls1.3" : "good" }
        if rule == .tlsVersion || rule == .osTLSFloor { return handshake.facts?.version == .tls10 ? "tls1.0" : nil }
        return words[rule]
    }

    private static func word(_ failure: HandshakeFailure) -> String? {
        switch failure {
        case .alertReceived(let number): "alert\(number)"
        case .closed(let isReset): isReset ? nil : "closed"
        case .versionNotOffered, .suiteNotOffered, .nothingToOffer, .notTLS, .timeout, .chainTooLarge, .library: nil
        }
    }

    private static let words: [RuleID: String] = [
        .forwardSecrecy: "rsa-kx", .selfSigned: "self-signed", .untrustedRoot: "untrusted-root", .expired: "expired",
        .hostName: "host-name", .signatureHash: "sha1",
    ]
}
