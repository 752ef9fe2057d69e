import ATSPolicy
import Records
import TLSEngine

/// Findings about the client's own handshake with a host that is passed through.
extension Finding {
    /// Why no certificate of it was seen.
    enum UnseenReason {
        /// TLS 1.3.
        case sealed
        /// A session went on.
        case resumed
    }

    /// - Parameters:
    ///   - judged: what the gate's own handshake showed; nil where it broke.
    ///   - lifted: what stands against that one alone.
    static func ownHandshake(_ facts: HandshakeFacts, judged: HandshakeFacts?, lifting lifted: Finding?) -> Finding {
        let sentence = lifted.map { " What stood against the gate's own, \($0.rule.rawValue), does not count." } ?? ""
        return seen(
            .clientOwnHandshake, "Another handshake than the judged one",
            expected: "what the gate's own handshake showed: \(judged?.inShort ?? "it broke")",
            observed: "The client's own handshake showed \(facts.inShort).\(sentence)", source: "RFC 5246 7.4")
    }

    static func unseen(_ hidden: UnseenReason?, in host: String, isHelloEncrypted: Bool) -> Finding {
        var sentences: [String] = []
        switch hidden {
        case .sealed: sentences.append("The client's own handshake is TLS 1.3, whose certificate is encrypted.")
        case .resumed: sentences.append("The client's own handshake resumed a session, which shows no certificate.")
        case nil: break
        }
        if hidden != nil { sentences.append("The verdict on that is the one of the gate's own handshake.") }
        if isHelloEncrypted {
            sentences.append("Its hello has an encrypted part, which may ask for another host than \(host).")
        }
        return seen(
            .clientUnseen, "Not all of the client's own handshake was seen",
            expected: "a handshake that shows its names and certificates", observed: sentences.joined(separator: " "),
            source: "RFC 8446 4.4.2")
    }

    static func refusedHello(alert: UInt8) -> Finding {
        seen(
            .tlsAlert, "Origin refused the client's own hello", expected: "an origin that agrees with the client",
            observed: "The origin answered the client's own hello with TLS alert \(alert).", source: "RFC 8446 6.2")
    }

    static let unreadableAnswer = seen(
        .tlsNotTLS, "Origin's answer can not be read", expected: "a ServerHello, and up to TLS 1.2 a certificate",
        observed: "What the origin answered to the client's own hello is no TLS that can be read.",
        source: "RFC 8446 4.1.3")

    static let changedHello = seen(
        .httpMalformed, "Second hello for another host", expected: "the server name of the first hello",
        observed: "The client's hello after a HelloRetryRequest has another server name, or none that can be read.",
        source: "RFC 8446 4.1.2")

    /// What came behind the one handshake that was judged.
    static func stopped(_ stop: SecondHandshakeWatch.Stop, isClient: Bool) -> Finding {
        let who = isClient ? "client" : "origin"
        return switch stop {
        case .handshake:
            seen(
                .clientOwnHandshake, "Second handshake in one connection",
                expected: "the handshake that was judged, and no other in the same connection",
                observed:
                    "The \(who) began to renegotiate: what that shows is encrypted, so that nobody could judge it.",
                source: "RFC 5746 1")
        case .noTLS:
            seen(
                .tlsNotTLS, "No TLS behind the handshake", expected: "records of TLS",
                observed: "What the \(who) said behind the handshake is no TLS that can be read.",
                source: "RFC 5246 6.2.1")
        }
    }

    static let unansweredHello = seen(
        .tlsTimeout, "Client's own hello unanswered", expected: "an answer to the client's hello in time",
        observed: "The client's own handshake was not finished in time.", source: "RFC 8446 4.1.3")
}

extension HandshakeFacts {
    /// What a person tells two handshakes apart by.
    fileprivate var inShort: String {
        let leaf = served.first.map { "certificate \($0.commonName ?? $0.subject) (SHA-256 \($0.sha256.prefix(16)))" }
        return "TLS \(version.name), \(suite.name), \(leaf ?? "no certificate")"
    }
}
