import ATSPolicy
import HTTP2Engine
import HTTPWire
import Records

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
            observed: "The client's hello asks for \(name): the server must satisfy the ATS rules of both hosts.",
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
