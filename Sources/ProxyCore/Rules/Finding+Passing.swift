import ATSPolicy
import Records
import TLSEngine

/// Findings about the client's own handshake with a host that is passed through.
extension Finding {
    /// The reason why the host's certificate was not seen.
    enum UnseenReason {
        /// TLS 1.3.
        case sealed
        /// The handshake resumed a session.
        case resumed
    }

    /// - Parameters:
    ///   - judged: the facts of the gate's own handshake; nil if it broke.
    ///   - lifted: the finding about the gate's own handshake that does not apply to the client's.
    static func ownHandshake(_ facts: HandshakeFacts, judged: HandshakeFacts?, lifting lifted: Finding?) -> Finding {
        let sentence = lifted.map { " \($0.rule.rawValue), found in the gate's own handshake, does not apply." } ?? ""
        return seen(
            .clientOwnHandshake, "Client's handshake differs from the judged one",
            expected: "the same result as the gate's own handshake: \(judged?.inShort ?? "it failed")",
            observed: "The client's own handshake showed \(facts.inShort).\(sentence)", source: "RFC 5246 7.4")
    }

    static func unseen(_ hidden: UnseenReason?, in host: String, isHelloEncrypted: Bool) -> Finding {
        var sentences: [String] = []
        switch hidden {
        case .sealed: sentences.append("The client's own handshake uses TLS 1.3, which encrypts the certificate.")
        case .resumed: sentences.append("The client's own handshake resumed a session, so it shows no certificate.")
        case nil: break
        }
        if hidden != nil { sentences.append("The verdict is based on the gate's own handshake.") }
        if isHelloEncrypted {
            sentences.append("Its hello has an encrypted part, which may name another host than \(host).")
        }
        return seen(
            .clientUnseen, "Client's own handshake not fully visible",
            expected: "a handshake that shows its names and certificates", observed: sentences.joined(separator: " "),
            source: "RFC 8446 4.4.2")
    }

    static func refusedHello(alert: UInt8) -> Finding {
        seen(
            .tlsAlert, "Server rejected the client's own hello", expected: "a server that accepts the hello",
            observed: "The server answered the client's own hello with TLS alert \(alert).", source: "RFC 8446 6.2")
    }

    static let unreadableAnswer = seen(
        .tlsNotTLS, "Unreadable server handshake", expected: "a ServerHello, and up to TLS 1.2 a certificate",
        observed: "The server answered the client's own hello with data that is not valid TLS.",
        source: "RFC 8446 4.1.3")

    static let changedHello = seen(
        .httpMalformed, "Second hello for another host", expected: "the server name of the first hello",
        observed: "The client's hello after a HelloRetryRequest has another server name, or an unreadable one.",
        source: "RFC 8446 4.1.2")

    /// A violation after the judged handshake.
    static func stopped(_ stop: SecondHandshakeWatch.Stop, isClient: Bool) -> Finding {
        let who = isClient ? "client" : "server"
        return switch stop {
        case .handshake:
            seen(
                .clientOwnHandshake, "Second handshake in one connection",
                expected: "only the judged handshake in this connection",
                observed: "The \(who) started a renegotiation. It is encrypted, so it could not be judged.",
                source: "RFC 5746 1")
        case .noTLS:
            seen(
                .tlsNotTLS, "No TLS after the handshake", expected: "TLS records",
                observed: "The \(who) sent invalid TLS after the handshake.",
                source: "RFC 5246 6.2.1")
        }
    }

    static let unansweredHello = seen(
        .tlsTimeout, "Client's own hello not answered", expected: "an answer to the client's hello in time",
        observed: "The client's own handshake did not finish in time.", source: "RFC 8446 4.1.3")
}

extension HandshakeFacts {
    /// A short description by which a person distinguishes two handshakes.
    fileprivate var inShort: String {
        let leaf = served.first.map { "certificate \($0.commonName ?? $0.subject) (SHA-256 \($0.sha256.prefix(16)))" }
        return "TLS \(version.name), \(suite.name), \(leaf ?? "no certificate")"
    }
}
