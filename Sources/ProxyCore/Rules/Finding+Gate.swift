import ATSPolicy
import HTTP2Engine
import HTTPWire
import Records

/// Findings about the client, the wire and the gate itself: facts we saw, no imitation of Apple.
extension Finding {
    static func malformedRequest(_ error: WireError) -> Finding {
        seen(
            .httpMalformed, "Malformed request", expected: "a request as RFC 9112 writes it", observed: error.sentence,
            source: "RFC 9112")
    }

    static func malformedAnswer(_ error: WireError) -> Finding {
        seen(
            .httpMalformed, "Malformed answer", expected: "an answer as RFC 9112 writes it", observed: error.sentence,
            source: "RFC 9112")
    }

    static let unaskedAnswer = seen(
        .httpMalformed, "Answer to no request", expected: "silence until a request is sent",
        observed: "The origin sent bytes before it was asked for anything.", source: "RFC 9112 9.2")

    static let unaskedUpgrade = seen(
        .httpMalformed, "Change of protocol", expected: "HTTP/1.1, since no upgrade was asked for",
        observed: "The origin answered 101 Switching Protocols.", source: "RFC 9110 7.8")

    static func brokenStreams(_ failure: HTTP2Failure) -> Finding {
        seen(
            .httpMalformed, "Broken HTTP/2 client", expected: "frames as RFC 9113 writes them",
            observed: "The client's connection: \(failure.words)", source: "RFC 9113 5.4.1")
    }

    static func malformedStream(_ fault: HTTP2MessageFault) -> Finding {
        seen(
            .httpMalformed, "Malformed HTTP/2 request", expected: "a request as RFC 9113 writes it",
            observed: fault.sentence, source: "RFC 9113 8.1.1")
    }

    static func brokenAnswers(_ failure: HTTP2Failure) -> Finding {
        seen(
            .httpMalformed, "Broken HTTP/2 origin", expected: "frames as RFC 9113 writes them",
            observed: "The origin's connection: \(failure.words)", source: "RFC 9113 5.4.1")
    }

    static func streamReset(code: UInt32) -> Finding {
        seen(
            .netReset, "Stream reset", expected: "a complete answer",
            observed: "The origin reset the stream with HTTP/2 error code \(code).", source: "RFC 9113 7")
    }

    static let noExtendedConnect = seen(
        .httpMalformed, "WebSocket over HTTP/1.1 only", expected: "an origin that speaks RFC 8441",
        observed: "The origin does not take an extended CONNECT; the client was asked to come again in HTTP/1.1.",
        source: "RFC 8441 3")

    static func clientStalled(_ limit: Duration) -> Finding {
        seen(
            .clientGone, "Client stopped", expected: "a client that sends its request and reads its answer",
            observed: "The client neither sent nor read anything for \(limit).", source: "RFC 9110 15.5.9")
    }

    static let unreadableHello = seen(
        .clientGone, "Unreadable ClientHello", expected: "a ClientHello as RFC 8446 writes it",
        observed: "The client began a TLS handshake but sent no hello that can be read.", source: "RFC 8446 4.1.2")

    static let malformedServerName = seen(
        .httpMalformed, "Malformed server name", expected: "one host name in the ClientHello, or none",
        observed: "The client's hello asks for a name that no host can have.", source: "RFC 6066 3")

    static func otherServerName(_ name: String, inTunnelTo host: String) -> Finding {
        seen(
            .clientServerName, "Another name in the hello", expected: "the host that the tunnel was opened to, \(host)",
            observed: "The client's hello asks for \(name): the origin has to do for both, by the law of each.",
            source: "RFC 6066 3")
    }

    static func otherTraffic(_ kind: FirstBytes.Kind) -> Finding {
        seen(
            .clientOtherTraffic, "Neither TLS nor HTTP", expected: "TLS or HTTP, which ATS governs",
            observed: "The client's first bytes are \(kind.rawValue).", source: "RFC 9110 9.3.6")
    }

    static func otherUpgrade(_ name: String, _ others: OtherUpgrades) -> Finding {
        let name = name.count > 64 ? name.prefix(64) + "..." : name
        return seen(
            .clientOtherTraffic, "Change to another protocol", expected: "HTTP or WebSocket, which ATS governs",
            observed: "The client asked to change to \(name), which was \(others == .relay ? "" : "not ")passed on.",
            source: "RFC 9110 7.8, RFC 8441 4")
    }

    static func gateFault(_ fault: GateFault) -> Finding {
        seen(
            .gateFault, "Fault of the gate", expected: "a gate that does its part", observed: fault.words,
            source: "atsgate")
    }

    static func clientGone(after bytes: Int64) -> Finding {
        seen(
            .clientGone, "Client went away", expected: "a client that waits for its answer",
            observed: "The client closed the connection after \(bytes) bytes of the answer.", source: "RFC 9112 9.6")
    }

    static func originCut(after bytes: Int64, reset: Bool) -> Finding {
        seen(
            .netReset, "Connection lost", expected: "a complete answer",
            observed: "The origin \(reset ? "reset" : "closed") the connection after \(bytes) bytes of the answer.",
            source: "RFC 9112 8")
    }

    static func originAlert(_ alert: UInt8, after bytes: Int64) -> Finding {
        seen(
            .tlsAlert, "TLS alert after the handshake", expected: "a complete answer",
            observed: "The origin ended the connection with TLS alert \(alert) after \(bytes) bytes of the answer.",
            source: "RFC 8446 6.2")
    }

    static let gateStopped = seen(
        .gateStopped, "Gate stopped", expected: "a load that ends before the gate does",
        observed: "The gate was stopped in the middle of this load.", source: "atsgate")

    static let shed = seen(
        .gateDescriptors, "Gave way when descriptors ran short", expected: "a descriptor for every client",
        observed: "The gate may open no more files, and this client had waited longest: raise its descriptor limit "
            + "(ulimit -n).", source: "atsgate")

    static func privateRelay(_ host: String) -> Finding {
        seen(
            .clientPrivateRelay, "iCloud Private Relay turned away", expected: "loads that come to the gate themselves",
            observed: "\(host) is where a device begins Private Relay, in which loads would leave unseen. The gate "
                + "answered that there is no such host; devices then do without.",
            source: "Apple, Prepare your network or web server for iCloud Private Relay; docs/setup.md#private-relay")
    }

    static func loop(_ target: LoadTarget) -> Finding {
        seen(
            .gateLoop, "Load asks for the gate itself", expected: "a load to an origin",
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
    fileprivate var words: String {
        switch self {
        case .violation(let code, _): "it broke the protocol, HTTP/2 error code \(code)."
        case .flood(let kind): "too many \(kind.words) in a short time."
        case .shutDown(let code): "it was ended with HTTP/2 error code \(code.rawValue)."
        case .abandoned: "it was given up."
        case .library(let number): "the HTTP/2 library gave up, error \(number)."
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
        case .otherFrames: "frames of no use"
        case .acknowledgements: "acknowledgements to wait for"
        case .heads: "HEADERS frames"
        case .skippedData: "DATA frames on streams that were reset"
        }
    }
}

extension RecordedDiagnosis {
    /// For what happens to the gate or the client, which Apple's systems have no word for.
    convenience init(_ finding: Finding) {
        self.init(findings: [finding], apple: nil, remedy: nil)
    }

    /// The same with further findings behind its own.
    func adding(_ other: RecordedDiagnosis?) -> RecordedDiagnosis {
        let new = other?.findings.filter { !findings.contains($0) } ?? []
        return new.isEmpty ? self : RecordedDiagnosis(findings: findings + new, apple: apple, remedy: remedy)
    }
}
