import ATSPolicy
import HTTPWire
import Records

/// One HTTP load in flight, whatever version carries it.
final class Load {
    enum Request {
        /// More of it is to come from the client.
        case arriving
        case whole(trailers: FieldBlock?)
    }

    enum Answer {
        /// Nothing but interim heads was given to the client.
        case awaited
        case begun(status: Int)
        case whole(status: Int)
    }

    let head: RequestHead
    /// Path and query as asked.
    let pathText: String
    let target: LoadTarget
    private(set) var client: RecordedClient
    /// The law that it goes under: that in force when it was put on its way.
    private(set) var ruled: TargetRuling
    /// Another host that it asks for than its tunnel's; see ``SessionContext/judgeOtherHosts(of:on:in:)``.
    var alsoNamed: LoadTarget?
    /// What is worth saying of it whatever becomes of it.
    var remark: RecordedDiagnosis?
    /// What a device would have refused of the other host, where audit mode lets it pass.
    var misdirection: RecordedDiagnosis?
    private var blamed: TargetRuling?
    let started: Timestamp
    /// URL of the load that sent the client here.
    let redirectedFrom: String?
    var wireProtocol: RecordedRequest.WireProtocol
    /// What a device would have refused, where audit mode lets it pass.
    var diagnosis: RecordedDiagnosis?
    private(set) var request = Request.arriving
    private(set) var answer = Answer.awaited
    var answerTrailers: FieldBlock?
    /// It is the first load of its link, so the link's making is part of its time.
    var isFirstOnLink = false
    private(set) var retries = 0
    var bytesSent: Int64 = 0
    var bytesReceived: Int64 = 0
    private(set) var firstByteTicks: Int64?
    /// What of the answer was not passed on, for the record.
    // Unchecked: a list of texts; nothing else runs while one is added.
    @exclusivity(unchecked) private(set) var removed: [String] = []
    /// HTTP/1: the client's connection ends with this answer.
    var endsClient = false
    /// It has its record: one per load, whatever happens afterwards.
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

    /// Another law came into force before it was put on its way.
    func rule(anew ruled: TargetRuling, from client: RecordedClient) {
        self.ruled = ruled
        self.client = client
    }

    /// The answer for that of the hosts it names which decides: what its record is about.
    var decisive: TargetRuling { blamed ?? ruled }

    func blame(_ ruled: TargetRuling) { blamed = ruled === self.ruled ? nil : ruled }

    /// How a load that came through is recorded.
    var passVerdict: Verdict { diagnosis == nil ? .allowed : .wouldBlock }

    // MARK: The request

    var requestIsWhole: Bool {
        if case .whole = request { true } else { false }
    }

    var requestTrailers: FieldBlock? {
        if case .whole(let trailers) = request { trailers } else { nil }
    }

    /// - Returns: false when it was whole already.
    @discardableResult
    func finishRequest(trailers: FieldBlock?) -> Bool {
        guard case .arriving = request else { return false }
        request = .whole(trailers: trailers)
        return true
    }

    /// RFC 9110 section 9.2.2: only an idempotent request may be sent again by itself, and we can only send again
    /// what we still have.
    var mayRetry: Bool { retries == 0 && status == nil && head.method.isIdempotent && head.framing == .none }

    /// Returns whether it may be sent once more; from then on it may not.
    func takeRetry(if mayRetry: Bool) -> Bool {
        guard mayRetry, retries == 0 else { return false }
        retries += 1
        return true
    }

    // MARK: The answer

    /// That of the answer's head, once it was written to the client.
    var status: Int? {
        switch answer {
        case .awaited: nil
        case .begun(let status), .whole(let status): status
        }
    }

    var answerIsWhole: Bool {
        if case .whole = answer { true } else { false }
    }

    /// A head came from the origin, interim or not.
    func noteHead(at ticks: Int64) {
        if firstByteTicks == nil { firstByteTicks = ticks }
    }

    func beginAnswer(status: Int) { answer = .begun(status: status) }

    func finishAnswer() {
        if let status { answer = .whole(status: status) }
    }

    /// The fields of an answer, or its trailers, as the client gets them: without alternatives in HTTP/3, which a client
    /// would use past the gate, unless the rules keep them. The record tells of them.
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
    /// Path and query as asked.
    var pathText: String {
        switch target {
        case .absolute(let absolute): absolute.path
        case .path(let path): path
        case .asterisk: "*"
        case .authority: "/"
        }
    }
}
