import ATSPolicy
import HTTP2Engine
import HTTPWire
import Records
import TLSEngine
import Text

/// Findings about the client, the wire and the gate itself. They report facts and do not imitate Apple.
extension Finding {
    static func malformedRequest(_ error: WireError) -> Finding {
        seen(
            .httpMalformed, "Malformed request", expected: "a request that follows RFC 9112", observed: error.sentence,
            source: "RFC 9112")
    }

    static func malformedAnswer(_ error: WireError) -> Finding {
        seen(
            .httpMalformed, "Malformed response", expected: "a response that follows RFC 9112",
            observed: error.sentence, source: "RFC 9112")
    }

    static let unaskedAnswer = seen(
        .httpMalformed, "Response without a request", expected: "no data until a request is sent",
        observed: "The server sent data before the gate sent a request.", source: "RFC 9112 9.2")

    static let unaskedUpgrade = seen(
        .httpMalformed, "Change to a protocol that was not offered",
        expected: "HTTP/1.1, or a protocol that was offered",
        observed: "The origin answered 101 Switching Protocols, but not for a protocol that it was offered.",
        source: "RFC 9110 7.8")

    static func brokenStreams(_ failure: HTTP2Failure) -> Finding {
        seen(
            .httpMalformed, "Broken HTTP/2 client", expected: "frames that follow RFC 9113",
            observed: "The client's connection: \(failure.words)", source: "RFC 9113 5.4.1")
    }

    static func malformedStream(_ fault: HTTP2MessageFault) -> Finding {
        seen(
            .httpMalformed, "Malformed HTTP/2 request", expected: "a request that follows RFC 9113",
            observed: fault.sentence, source: "RFC 9113 8.1.1")
    }

    static func brokenAnswers(_ failure: HTTP2Failure) -> Finding {
        seen(
            .httpMalformed, "Broken HTTP/2 server", expected: "frames that follow RFC 9113",
            observed: "The server's connection: \(failure.words)", source: "RFC 9113 5.4.1")
    }

    static func streamReset(code: UInt32) -> Finding {
        seen(
            .netReset, "Stream reset", expected: "a complete response",
            observed: "The server reset the stream with HTTP/2 error code \(code).", source: "RFC 9113 7")
    }

    static let noExtendedConnect = seen(
        .httpMalformed, "WebSocket over HTTP/1.1 only", expected: "a server that supports RFC 8441",
        observed: "The server does not support extended CONNECT; the client was asked to retry with HTTP/1.1.",
        source: "RFC 8441 3")

    static func clientStalled(_ limit: Duration) -> Finding {
        seen(
            .clientGone, "Client stopped", expected: "a client that sends its request and reads the response",
            observed: "The client neither sent nor read anything for \(limit).", source: "RFC 9110 15.5.9")
    }

    static let unreadableHello = seen(
        .clientGone, "Unreadable ClientHello", expected: "a ClientHello that follows RFC 8446",
        observed: "The client started a TLS handshake but sent no readable ClientHello.", source: "RFC 8446 4.1.2")

    static let malformedServerName = seen(
        .httpMalformed, "Malformed server name", expected: "one host name in the ClientHello, or none",
        observed: "The server name in the client's hello is not a valid host name.", source: "RFC 6066 3")

    static func otherServerName(_ name: String, inTunnelTo host: String) -> Finding {
        seen(
            .clientServerName, "Different server name in the hello",
            expected: "the host that the tunnel was opened to, \(host)",
            observed: "The client's hello asks for \(name), but its tunnel is to \(host).",
            source: "RFC 6066 3")
    }

    static func otherTraffic(_ kind: FirstBytes.Kind) -> Finding {
        seen(
            .clientOtherTraffic, "Neither TLS nor HTTP", expected: "TLS or HTTP, which ATS governs",
            observed: "The client's first bytes are \(kind.rawValue).", source: "RFC 9110 9.3.6")
    }

    static let unjudgedHandshake = seen(
        .clientOtherTraffic, "TLS handshake that the gate could not read",
        expected: "a tunnel that begins with a ClientHello, or one without TLS",
        observed:
            "The client's first bytes were neither TLS nor HTTP, but the origin answered with a TLS record.",
        source: "RFC 8446 5.1")

    static func otherUpgrade(_ name: String, _ others: OtherUpgrades) -> Finding {
        let name = name.count > 64 ? name.prefix(64) + "..." : name
        return seen(
            .clientOtherTraffic, "Change to another protocol", expected: "HTTP or WebSocket, which ATS governs",
            observed: "The client requested an upgrade to \(name), which was \(others == .relay ? "" : "not ")relayed.",
            source: "RFC 9110 7.8, RFC 8441 4")
    }

    static func gateFault(_ fault: GateFault) -> Finding {
        seen(
            .gateFault, "Error in the gate", expected: "a gate without errors", observed: fault.words,
            source: "atsgate")
    }

    static func clientGone(after bytes: Int64) -> Finding {
        seen(
            .clientGone, "Client went away", expected: "a client that reads the whole response",
            observed: "The client closed the connection after \(bytes) bytes of the response.", source: "RFC 9112 9.6")
    }

    static func originCut(after bytes: Int64, reset: Bool) -> Finding {
        seen(
            .netReset, "Connection lost", expected: "a complete response",
            observed: "The server \(reset ? "reset" : "closed") the connection after \(bytes) bytes of the response.",
            source: "RFC 9112 8")
    }

    static func originAlert(_ alert: UInt8, after bytes: Int64) -> Finding {
        seen(
            .tlsAlert, "TLS alert after the handshake", expected: "a complete response",
            observed: "The server ended the connection with TLS alert \(alert) after \(bytes) bytes of the response.",
            source: "RFC 8446 6.2")
    }

    static let gateStopped = seen(
        .gateStopped, "Gate stopped", expected: "a load that ends before the gate does",
        observed: "The gate was stopped in the middle of this load.", source: "atsgate")

    static let shed = seen(
        .gateDescriptors, "Closed because descriptors ran out", expected: "a descriptor for every client",
        observed: "The gate can open no more files, and this client had been idle longest. Raise the descriptor limit "
            + "(ulimit -n).", source: "atsgate")

    static let overBudget = seen(
        .gateMemory, "Memory for unread bytes spent", expected: "clients that read what they requested",
        observed: "Clients did not read their answers, and the gate's memory for unread bytes is full. It refuses new "
            + "requests and closes the clients that have not read for longest.", source: "atsgate")

    static func privateRelay(_ host: String) -> Finding {
        seen(
            .clientPrivateRelay, "iCloud Private Relay blocked", expected: "loads that use the gate",
            observed: "Devices start Private Relay at \(host), and its loads would bypass the gate. The gate answered "
                + "that the host does not exist; devices then connect without Private Relay.",
            source: "Apple, Prepare your network or web server for iCloud Private Relay; docs/setup.md#private-relay")
    }

    static func loop(_ target: LoadTarget) -> Finding {
        seen(
            .gateLoop, "Load to the gate itself", expected: "a load to a server",
            observed: "\(target.host):\(target.port) is this gate's own address.", source: "RFC 9110 7.6.3")
    }

    static func seen(
        _ rule: RuleID, _ title: String, expected: String, observed: String, source: String,
        confidence: Confidence = .observed
    ) -> Finding {
        Finding(
            rule: rule, title: title, keyPath: nil, expected: expected, observed: observed, confidence: confidence,
            source: source)
    }
}

extension HTTP2Failure {
    var words: String {
        switch self {
        case .violation(let code, _): "protocol error, HTTP/2 error code \(code)."
        case .flood(let kind): "too many \(kind.words) in a short time."
        case .shutDown(let code): "closed by the gate with HTTP/2 error code \(code.rawValue)."
        case .abandoned: "closed by the gate."
        case .library(let number): "the HTTP/2 library failed with error \(number)."
        }
    }
}

extension HTTP2Flood {
    fileprivate var words: String {
        switch self {
        case .resets: "resets"
        case .pings: "pings"
        case .settings: "SETTINGS frames"
        case .emptyData: "empty DATA frames"
        case .continuations: "CONTINUATION frames"
        case .priorities: "PRIORITY frames"
        case .windowUpdates: "WINDOW_UPDATE frames"
        case .otherFrames: "frames without effect"
        case .acknowledgements: "frames that require an acknowledgement"
        case .heads: "HEADERS frames"
        case .skippedData: "DATA frames on streams that were reset"
        }
    }
}

extension RecordedDiagnosis {
    /// A diagnosis for events of the gate or the client, for which Apple's systems have no error.
    convenience init(_ finding: Finding) {
        self.init(findings: [finding], apple: nil, remedy: nil)
    }

    /// Returns the diagnosis with further findings after its own.
    func adding(_ other: RecordedDiagnosis?) -> RecordedDiagnosis {
        let new = other?.findings.filter { !findings.contains($0) } ?? []
        return new.isEmpty ? self : RecordedDiagnosis(findings: findings + new, apple: apple, remedy: remedy)
    }
}

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

/// Findings about clients that do not accept the gate's certificates.
extension Finding {
    /// - Parameters:
    ///   - alert: the TLS alert that the client sent; nil if it just closed.
    ///   - declared: how the app declares its pin of the host, see ``Tunnel/declaredPins(by:)``.
    static func clientRejectedLeaf(
        alert: UInt8?, host: String, _ suspicion: PinningWatch.Suspicion, declared: String?
    ) -> Finding {
        let how = alert.map { "with TLS alert \($0)" } ?? "without an alert"
        return seen(
            .clientRejectedLeaf, "Client rejected the gate's certificate",
            expected: "a client that trusts the gate's CA",
            observed: "The client rejected the certificate for \(host) \(how). \(suspicion.meaning(host, declared))",
            source: "RFC 8446 6.2")
    }

    /// Not yet an error: the client may simply have changed its mind.
    static func leftAtOnce(_ host: String, _ suspicion: PinningWatch.Suspicion, declared: String?) -> Finding {
        seen(
            .clientRejectedLeaf, "Client left after the handshake", expected: "a request",
            observed: "The client finished the handshake with the certificate for \(host) and left without a request, "
                + "as apps do that check the certificate themselves. \(suspicion.meaning(host, declared))",
            source: "RFC 8446 6.2", confidence: .inferred)
    }

    /// A host that is not decrypted because its client pins it.
    static func passedThrough(_ host: String, declared: String?) -> Finding {
        let reason = declared.map { " This was expected: \($0)." } ?? ""
        return seen(
            .clientPins, "Client pins this host", expected: "a client that trusts the gate's CA",
            observed: "The client rejected the gate's certificate for \(host) twice and accepted those for other "
                + "hosts, so its data is not decrypted. The verdict is based on the gate's own handshake.\(reason)",
            source: "RFC 8446 6.2")
    }
}

extension PinningWatch.Suspicion {
    /// The conclusion for the user, with the next step.
    fileprivate func meaning(_ host: String, _ declared: String?) -> String {
        let reason = declared.map { ", and \($0)" } ?? ""
        switch self {
        case .lacksAuthority:
            return
                "It has accepted none so far\(reason): install the CA (atsgate ca export), or use --passthrough "
                + "\(host) if the app pins its server."
        case .pins:
            return "It has accepted those for other hosts\(reason): the app seems to pin this one. To pass it through: "
                + "--passthrough \(host)"
        case .pinsAndPasses:
            return
                "It has accepted those for other hosts\(reason): the app seems to pin this one, which is passed "
                + "through for \(PinningWatch.minutes) minutes from its next attempt."
        }
    }
}

extension Tunnel {
    /// How the app declares its pin of the host; nil if it does not.
    ///
    /// Source: Apple, NSPinnedDomains (docs/law/pinning.md); TrustKit, TSKConfiguration in the Info.plist.
    func declaredPins(by system: SystemPolicy) -> String? {
        if ruled.permit.demands?.pins != nil { return "the dictionary pins it by NSPinnedDomains" }
        let isInTrustKit = system.judge.declaration.trustKitDomains.contains(target.host)
        return isInTrustKit ? "the bundle pins it by TrustKit (TSKPinnedDomains)" : nil
    }
}
