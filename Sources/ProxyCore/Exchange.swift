import ATSPolicy
import HTTPWire
import Records

/// One HTTP load in flight.
final class Exchange {
    let head: RequestHead
    let target: LoadTarget
    let client: ClientCard
    /// nil for a load that was answered here.
    let permit: ConnectPermit?
    let policy: PolicyCard
    /// What a device would have refused, where audit mode lets it pass.
    var diagnosis: DiagnosisCard?
    let started: Moment
    /// URL of the load that sent the client here.
    var parent: String?
    /// The protocol that the client would change to, where the request for it was passed on.
    var upgrade: Upgrade?
    /// The origin has agreed to that.
    var hasUpgraded = false
    var wireProtocol = LoadCard.WireProtocol.http1

    /// The request's head has been written to the origin.
    var isSent = false
    var requestIsDone = false
    /// The answer's head has been written to the client.
    var status: Int?
    var answerFraming = BodyFraming.none
    var requestTrailers: FieldBlock?
    var answerTrailers: FieldBlock?
    var answerIsDone = false
    /// The client's connection ends with this answer.
    var closesClient: Bool
    /// It is the first load of its link, so the link's making is part of its time.
    var isFirstOnLink = false
    /// The link was dialed for this very load.
    var hasNewLink = false
    var retries = 0
    var bytesSent: Int64 = 0
    var bytesReceived: Int64 = 0
    var firstByteTicks: Int64?
    /// What of the answer was not passed on, for the record.
    var removed: [String] = []

    init(
        head: RequestHead, target: LoadTarget, client: ClientCard, permit: ConnectPermit? = nil, policy: PolicyCard,
        diagnosis: DiagnosisCard?, started: Moment
    ) {
        self.head = head
        self.target = target
        self.client = client
        self.permit = permit
        self.policy = policy
        self.diagnosis = diagnosis
        self.started = started
        closesClient = !head.isPersistent
    }

    /// Path and query as asked.
    var pathText: String { Self.pathText(of: head) }

    static func pathText(of head: RequestHead) -> String {
        switch head.target {
        case .absolute(let absolute): absolute.path
        case .path(let path): path
        case .asterisk: "*"
        case .authority: "/"
        }
    }

    /// How a load that came through is recorded.
    var passVerdict: Verdict { diagnosis == nil ? .allowed : .wouldBlock }

    /// RFC 9110 section 9.2.2: only an idempotent request may be sent again by itself, and we can only send again
    /// what we still have.
    var mayRetry: Bool {
        retries == 0 && status == nil && head.method.isIdempotent && head.framing == .none
    }
}

/// What holds for every load inside one CONNECT tunnel.
final class TunnelScope {
    let connectHead: RequestHead
    var target: LoadTarget
    var permit: ConnectPermit
    /// The permit that the tunnel was dialed with: for the address that the client named, whatever its hello says.
    let dialed: ConnectPermit
    var policy: PolicyCard
    let opened: Moment
    /// What a device would have refused: shown to the client in enforce mode, only recorded in audit mode.
    var diagnosis: DiagnosisCard?
    var failure: LoadFailure?
    /// What the system would have refused and the app's own code let pass.
    var remark: DiagnosisCard?
    var isRecorded = false
    /// Overrides what a tunnel without loads of its own is recorded as.
    var verdict = Verdict.allowed
    var card: OriginCard?
    /// The parent proxy that the tunnel goes through.
    var via: String?
    var connectTicks: Int64?
    var handshakeTicks: Int64?
    /// Whether sessions of the origin may be resumed; not after a handshake that offered one broke.
    var resumes = true
    /// Loads recorded inside this tunnel; a tunnel without any is recorded itself.
    var records = 0
    var bytesSent: Int64 = 0
    var bytesReceived: Int64 = 0

    init(
        connectHead: RequestHead, target: LoadTarget, permit: ConnectPermit, policy: PolicyCard, opened: Moment
    ) {
        self.connectHead = connectHead
        self.target = target
        self.permit = permit
        dialed = permit
        self.policy = policy
        self.opened = opened
    }
}
