import ATSPolicy
import HTTPWire
import Records
import TLSEngine

/// One HTTP load in flight, of any HTTP version.
final class Load {
    enum Request {
        /// The client has not sent all of it.
        case arriving
        case whole(trailers: FieldBlock?)
    }

    enum Answer {
        /// The client has received at most interim heads.
        case awaited
        case begun(status: Int)
        case whole(status: Int)
    }

    let head: RequestHead
    /// Path and query of the request.
    let pathText: String
    let target: LoadTarget
    private(set) var client: RecordedClient
    /// The ruling that applies, made when the load started.
    private(set) var ruled: TargetRuling
    /// Findings for the record, however the load ends.
    var remark: RecordedDiagnosis?
    /// The finding about a request for another host than its connection's, which only audit and witness mode let pass.
    var misdirection: RecordedDiagnosis?
    let started: Timestamp
    /// URL of the load that sent the client here.
    let redirectedFrom: String?
    var wireProtocol: RecordedRequest.WireProtocol
    /// The reason why a device would have refused the load, if audit mode allowed it.
    var diagnosis: RecordedDiagnosis?
    private(set) var request = Request.arriving
    private(set) var answer = Answer.awaited
    var answerTrailers: FieldBlock?
    /// True if this is the first load of its link, so connecting is part of its time.
    var isFirstOnLink = false
    private(set) var retries = 0
    var bytesSent: Int64 = 0
    var bytesReceived: Int64 = 0
    private(set) var firstByteTicks: Int64?
    /// The parts of the response that were removed, for the record.
    // Unchecked: a list of texts; no other code runs while one is added.
    @exclusivity(unchecked) private(set) var removed: [String] = []
    /// HTTP/1: true if the client's connection ends with this answer.
    var endsClient = false
    /// True if the load has its record. Each load has exactly one, regardless of later events.
    var isRecorded = false

    init(
        head: RequestHead, ruled: TargetRuling, client: RecordedClient, started: Timestamp, redirectedFrom: String?,
        wireProtocol: RecordedRequest.WireProtocol
    ) {
        self.head = head
        pathText = head.pathText
        target = ruled.target
        self.client = client
        self.ruled = ruled
        self.started = started
        self.redirectedFrom = redirectedFrom
        self.wireProtocol = wireProtocol
    }

    /// Sets a new ruling, because the policy changed before the load started.
    func rule(anew ruled: TargetRuling, from client: RecordedClient) {
        self.ruled = ruled
        self.client = client
    }

    /// The verdict if the load completes.
    var passVerdict: Verdict { diagnosis == nil ? .allowed : .wouldBlock }

    // MARK: The request

    var requestIsWhole: Bool {
        if case .whole = request { true } else { false }
    }

    var requestTrailers: FieldBlock? {
        if case .whole(let trailers) = request { trailers } else { nil }
    }

    /// - Returns: false if it was complete already.
    @discardableResult
    func finishRequest(trailers: FieldBlock?) -> Bool {
        guard case .arriving = request else { return false }
        request = .whole(trailers: trailers)
        return true
    }

    /// True if the request may be repeated automatically: only if it is idempotent (RFC 9110 section 9.2.2) and without
    /// a body, because bodies are not kept.
    var mayRetry: Bool { retries == 0 && status == nil && head.method.isIdempotent && head.framing == .none }

    /// Returns true if the load may be sent once more, and uses up this retry.
    func takeRetry(if mayRetry: Bool) -> Bool {
        guard mayRetry, retries == 0 else { return false }
        retries += 1
        return true
    }

    // MARK: The response

    /// The status of the response's head, once written to the client.
    var status: Int? {
        switch answer {
        case .awaited: nil
        case .begun(let status), .whole(let status): status
        }
    }

    var answerIsWhole: Bool {
        if case .whole = answer { true } else { false }
    }

    /// Notes the time of the first head from the origin, interim or not.
    func noteHead(at ticks: Int64) {
        if firstByteTicks == nil { firstByteTicks = ticks }
    }

    func beginAnswer(status: Int) { answer = .begun(status: status) }

    func finishAnswer() {
        if let status { answer = .whole(status: status) }
    }

    /// The fields or trailers of a response for the client. Removes alternative services in HTTP/3, by which a client
    /// would bypass the gate, unless the rules keep them. The record lists them.
    func passed(_ fields: FieldBlock, in context: SessionContext) -> FieldBlock {
        guard !context.loop.policy.rules.keepsAltSvc else { return fields }
        var fields = fields
        for name in fields.removeHTTP3Alternatives() where !removed.contains("alt-svc \(name)") {
            removed.append("alt-svc \(name)")
        }
        return fields
    }
}

extension RequestHead {
    /// Path and query of the request.
    var pathText: String {
        switch target {
        case .absolute(let absolute): absolute.path
        case .path(let path): path
        case .asterisk: "*"
        case .authority: "/"
        }
    }
}

extension Load {
    /// The client's behavior as a request shows it: in cleartext, the request itself is acceptance.
    var witnessed: ConversationOutcome {
        target.scheme == .http
            ? ConversationOutcome(.accepted, .cleartextRequest, isCertain: true) : .unknown(.noHello)
    }
}

extension LoadFailure {
    /// Blocked for failures of ATS and trust, failed for all others.
    var verdict: Verdict { isBlockedByRules ? .blocked : .failed }
}

extension LoadFailure {
    /// The HTTP status for the client.
    var gatewayStatus: Int {
        switch self {
        case .network(let failure): failure.gatewayStatus
        case .handshake(.timeout, _): 504
        case .handshake, .cleartext, .trust, .lost, .malformedAnswer: 502
        }
    }
}

extension NetworkFailure {
    /// Source: RFC 9110 sections 15.5.4, 15.6.3 and 15.6.5; RFC 5842 section 7.2.
    var gatewayStatus: Int {
        switch self {
        case .timeout: 504
        case .ownAddress: 508
        case .forbidden: 403
        case .name, .refused, .reset, .noDescriptors, .parent, .decrypted: 502
        }
    }

    /// A short title for the client.
    var title: String {
        switch self {
        case .ownAddress: "This is the gate itself"
        case .forbidden: "Not available to clients on other machines"
        case .decrypted: "A proxy hides the server"
        case .name, .refused, .timeout, .reset, .noDescriptors, .parent: "The server cannot be reached"
        }
    }
}
