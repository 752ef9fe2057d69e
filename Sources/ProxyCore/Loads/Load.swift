import ATSPolicy
import HTTP2Engine
import HTTPWire
import OriginHandshake
import Records
import TLSEngine
import Text

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

/// The decision on a request, before any connection is made.
enum Admission {
    case carry
    case refuse(RecordedDiagnosis)
    /// The load cannot be carried on this connection, or it asks for the gate itself and would loop.
    case fail(ErrorAnswer)
}

extension SessionContext {
    /// Rules on a request of any HTTP version.
    ///
    /// - Parameter tunnel: the request's tunnel; later loads in it use the same permit.
    func admit(
        _ head: RequestHead, to target: LoadTarget, in tunnel: Tunnel?,
        as wireProtocol: RecordedRequest.WireProtocol = .http1
    ) -> (load: Load, admission: Admission) {
        noteAsking(in: tunnel)
        let ruled = ruled(on: target)
        let load = Load(
            head: head, ruled: ruled, client: recordedClient(under: ruled), started: now,
            redirectedFrom: ruled.isOwn ? nil : origin(ofRedirectTo: target, path: head.pathText, at: now.ticks),
            wireProtocol: wireProtocol)
        load.remark = ruled.doubt?.adding(helloDoubt) ?? helloDoubt
        return (load, admission(of: load, in: tunnel))
    }

    /// Notes that a client has accepted its certificate, because it sent a request, valid or not.
    func noteAsking(in tunnel: Tunnel?) {
        guard let tunnel, client.admittedTicks != nil else { return }
        client.admittedTicks = nil
        loop.pinning.accepted(tunnel.target.host, pinningClient(tunnel.agent))
    }

    /// Rules again on a load that has waited, if the policy has changed; otherwise nil.
    func readmit(_ load: Load, in tunnel: Tunnel?) -> Admission? {
        guard !isInForce(load.ruled) else { return nil }
        let (client, ruled) = currentRuling(load)
        load.rule(anew: ruled, from: client)
        return admission(of: load, in: tunnel)
    }

    /// The decision under the load's ruling and the facts learned since.
    func admission(of load: Load, in tunnel: Tunnel?) -> Admission {
        let ruled = load.ruled
        load.diagnosis = nil
        if ruled.isOwn { return .fail(.loop(to: load.target)) }
        let isEnforced = loop.policy.rules.mode == .enforce
        load.misdirection = tunnel?.misdirection(of: load)
        // A denied tunnel stays denied, even if its request names another host.
        if isEnforced, ruled.isPermit || tunnel?.isNamedByRequests == true, let misdirection = load.misdirection {
            return .fail(ErrorAnswer(421, "Wrong connection for this host", misdirection))
        }
        load.diagnosis = load.misdirection
        if case .denial(let denial) = ruled.ruling {
            let verdict = RuleBook.standard.judge(denial, profile: ruled.system.profile)
            let denied = diagnosis(verdict, of: ruled, path: load.pathText)
            load.diagnosis = denied.adding(load.misdirection)
            if isEnforced { return .refuse(denied) }
        }
        tunnel?.follow(load)
        return .carry
    }

    /// Starts a load on a link: its record has the link's findings, and the first one the time of connecting.
    func begin(_ load: Load, on link: OriginLink) {
        load.isFirstOnLink = link.countLoad()
        guard link.isSecured else { return }
        let doubt = link.met.isDoubtful ? diagnosis(of: link.met, under: load.ruled, path: load.pathText) : nil
        load.diagnosis = doubt?.adding(load.misdirection) ?? load.misdirection
    }
}

/// The target of a request, or the response to a request without one.
enum RequestedTarget {
    case target(LoadTarget)
    case nothing(GatePage)

    /// - Parameter tunnel: the request's tunnel, which determines the target; the head adds only the path.
    init(_ head: RequestHead, in tunnel: Tunnel?) {
        if head.hasNoForwardsLeft {
            self = .nothing(Self.lastHop(head))
            return
        }
        if let tunnel {
            guard case .authority = head.target else {
                self = .target(tunnel.target(askedBy: head))
                return
            }
            self = .nothing(Self.tunnelInTunnel(head))
            return
        }
        switch head.target {
        case .absolute(let absolute):
            // `ws` counts as `http` in the rules, and on the wire until the origin agrees (RFC 6455 section 4.1).
            guard absolute.scheme == "http" || absolute.scheme == "ws" else {
                self = .nothing(
                    Self.page(
                        head, "Unsupported URL scheme",
                        ["The proxy accepts full URLs only with http://. For https, use CONNECT."]))
                return
            }
            self = .target(LoadTarget(scheme: .http, host: absolute.host, port: absolute.port ?? 80))
        case .path, .asterisk, .authority:
            self = .nothing(
                Self.page(
                    head, "This is a proxy",
                    [
                        "atsgate is an HTTP proxy, but this request was sent as if to a web server.",
                        "Set this address as the HTTP and HTTPS proxy of a device, a simulator or a command.",
                    ]))
        }
    }

    /// Source: RFC 9110 section 7.6.2.
    private static func lastHop(_ head: RequestHead) -> GatePage {
        GatePage(
            status: 200, title: "This is atsgate",
            sentences: ["Max-Forwards is 0, so the gate answers itself. The request was not forwarded."],
            wantsJSON: head.wantsJSON)
    }

    static func tunnelInTunnel(_ head: RequestHead) -> GatePage {
        page(head, "A tunnel in a tunnel", ["CONNECT is not supported inside a tunnel."])
    }

    private static func page(_ head: RequestHead, _ title: String, _ sentences: [String]) -> GatePage {
        GatePage(status: 400, title: title, sentences: sentences, wantsJSON: head.wantsJSON)
    }
}

/// The gate's handling of requests to change to a protocol other than WebSocket.
public enum OtherUpgrades: String, Sendable, CaseIterable {
    /// Forwards them; once the origin agrees, bytes are relayed unread.
    case relay
    /// Does not forward them. In HTTP/1.1 the request goes without the upgrade, as RFC 9110 section 7.8 allows; in HTTP/2 the
    /// gate answers 501, as RFC 9220 section 3 requires for a protocol that is not supported.
    case refuse
}

/// The protocols that a load offers to change to.
struct Upgrade {
    /// In lower case, without versions.
    private let offered: [String]
    private let hasWebSocketKey: Bool

    /// nil if nothing is offered, or nothing that may be forwarded. HTTP/2 is never offered in this way (RFC 9113 section 3.1
    /// removed it), and a blind relay would hide its loads from the rules.
    init?(_ head: RequestHead) {
        offered = head.upgradeProtocols
        hasWebSocketKey = head.fields.value(named: "sec-websocket-key") != nil
        guard !offered.isEmpty, head.framing == .none, !offered.contains("h2c") else { return nil }
    }

    /// The protocol of an extended CONNECT; nil for other requests. Source: RFC 8441 section 4.
    init?(_ request: HTTP2Request) {
        guard let name = request.protocolName else { return nil }
        offered = [name]
        hasWebSocketKey = true
    }

    /// The protocols that the origin may choose from.
    func forwarded(under others: OtherUpgrades) -> [String] {
        switch others {
        case .relay: offered
        case .refuse: offered.filter(isWebSocket)
        }
    }

    /// True if every offered protocol is forwarded, so that the fields can stay as they are.
    func isForwardedWhole(under others: OtherUpgrades) -> Bool { others == .relay || offered.allSatisfy(isWebSocket) }

    /// The protocol of a load that changes to `name`; nil if it stays that of HTTP.
    func wireProtocol(of name: String) -> RecordedRequest.WireProtocol? { isWebSocket(name) ? .websocket : nil }

    /// True if the load offers WebSocket and nothing else.
    var isWebSocket: Bool { offered.allSatisfy(isWebSocket) }

    /// The record's remark about protocols other than WebSocket, which has a field of its own.
    func remark(under others: OtherUpgrades) -> RecordedDiagnosis? {
        let names = offered.filter { !isWebSocket($0) }
        return names.isEmpty ? nil : RecordedDiagnosis(.otherUpgrade(names.joined(separator: ", "), others))
    }

    /// A WebSocket needs a key, without which no server may agree. Source: RFC 6455 section 4.2.1.
    private func isWebSocket(_ name: String) -> Bool { name == "websocket" && hasWebSocketKey }
}
