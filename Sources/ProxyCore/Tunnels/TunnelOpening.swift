import ATSPolicy
import Bytes
import HTTPWire
import Records
import TLSEngine
import Text

/// Dials a tunnel's origin and answers the client's request for the tunnel, or dials again for a tunnel whose first link
/// did not suit.
final class TunnelOpening: SessionMachine {
    private enum Purpose {
        /// The client waits for the answer to this request.
        case answer(RequestHead)
        /// The client's bytes are relayed over the link; in witness mode with the hello that is held.
        case relay(HeldClient?)
    }

    let context: SessionContext
    private let opened: Tunnel
    private let purpose: Purpose

    private init(_ context: SessionContext, _ tunnel: Tunnel, for purpose: Purpose) {
        self.context = context
        opened = tunnel
        self.purpose = purpose
    }

    convenience init(_ context: SessionContext, redialing tunnel: Tunnel, for hello: HeldClient?) {
        self.init(context, tunnel, for: .relay(hello))
    }

    var tunnel: Tunnel? { opened }
    private var client: ClientStream { context.client }
    private var recorder: LoadRecorder { LoadRecorder(context: context, tunnel: opened) }

    /// Returns the transition for a client that requests a tunnel.
    static func open(_ head: RequestHead, _ context: SessionContext) -> Transition {
        if context.asksForOwnPages(head) { return .become(OwnTunnel(context)) }
        do throws(TunnelRefusal) {
            return .become(TunnelOpening(context, try Tunnel(askedBy: head, context), for: .answer(head)))
        } catch {
            error.answer(head, context)
            return .linger
        }
    }

    func begin() -> Transition {
        context.disarm()
        guard case .answer = purpose else {
            context.effect(.connect(opened.dialed, mayReuse: false))
            return .stay
        }
        // The reader saw a CONNECT head; the bytes that follow are not an HTTP body.
        client.reader = MessageReader.requests(limits: WireLimits())
        context.effect(.connect(opened.dialed, mayReuse: opened.mayReuse))
        return .stay
    }

    func connected(_ link: OriginLink) -> Transition {
        opened.linkConnected(link)
        switch purpose {
        case .answer: return sort(over: link)
        case .relay(nil): return .become(Relay(context, inTunnelOfOtherTraffic: opened, over: link))
        case .relay(let hello?):
            let own = OwnHandshake(context: context, tunnel: opened, hello: hello)
            return .become(Relay(context, .tunnel(opened), over: link, watchedBy: WitnessWatch(own)))
        }
    }

    func dialFailed(_ failure: NetworkFailure) -> Transition {
        client.witnessed = .unknown(.notReached)
        if case .relay(_?) = purpose { return .close(.settled) }
        let diagnosis = context.diagnosis(failure, of: opened.ruled, path: "/")
        guard case .answer(let head) = purpose else {
            opened.fail(diagnosis)
            return .close(.settled)
        }
        // The first bytes of a redirected client decide, because it is connected already. Cleartext that came with the
        // CONNECT and is denied is refused before any dial on a device.
        if opened.isTransparent || !ruleOnEarlyCleartext() { return sort(over: nil, after: diagnosis) }
        opened.fail(diagnosis)
        context.place.entrance.refuse(to: client, failure, answering: head, diagnosis)
        recorder.fileTunnel(context.place.entrance.refusedEnding, status: failure.gatewayStatus)
        return .linger
    }

    /// - Parameter trouble: the reason why no link exists, if the client's first bytes are read anyway.
    private func sort(over link: OriginLink?, after trouble: RecordedDiagnosis? = nil) -> Transition {
        context.place.entrance.confirm(to: client)
        return .become(FirstWords(context, opened, over: link, after: trouble))
    }

    /// Rules on cleartext that the client sent before its tunnel was open.
    ///
    /// - Returns: true if it may continue.
    @discardableResult
    private func ruleOnEarlyCleartext() -> Bool {
        switch FirstBytes(client.inbox.bytes) {
        case .http, .http2: context.judgeAsCleartext(opened)
        case .undecided, .tls, .other: true
        }
    }

    func clientSent(_ bytes: UnsafeRawBufferPointer) -> Transition {
        client.receive(bytes)
        context.boundInbox()
        return .stay
    }

    func clientEnded() -> Transition {
        client.hasEnded = true
        // A request that came with the CONNECT is still ruled on and answered.
        if case .answer = purpose, case .http = FirstBytes(client.inbox.bytes) { return .stay }
        return clientLost()
    }

    func end(_ reason: EndReason) {
        context.effect(.abandonConnect)
        ruleOnEarlyCleartext()
        recorder.fileTunnel(ended: reason)
    }
}

/// The reason why a client gets no tunnel.
struct TunnelRefusal: Error {
    let status: Int
    let title: String
    let sentences: [String]
    /// The content of its record; nil if it is not recorded.
    var record: (target: LoadTarget, verdict: Verdict, finding: Finding)?

    init(_ status: Int, _ title: String, _ sentence: String) {
        self.status = status
        self.title = title
        sentences = [sentence]
    }

    /// - Parameter finding: also the text of the response.
    init(_ status: Int, _ title: String, recordedAs verdict: Verdict, of target: LoadTarget, _ finding: Finding) {
        self.init(status, title, finding.observed)
        record = (target, verdict, finding)
    }

    /// Answers the client, and files the record.
    func answer(_ head: RequestHead, _ context: SessionContext) {
        let load = record.map { context.admit(head, to: $0.target, in: nil).load }
        load?.beginAnswer(status: status)
        context.place.entrance.refuse(
            to: context.client, status, answering: head, title: title, sentences: sentences)
        if let load, let record {
            let recorder = LoadRecorder(context: context, tunnel: nil)
            recorder.file(load, record.verdict, diagnosis: RecordedDiagnosis(record.finding))
        }
    }
}

extension Tunnel {
    /// Makes the tunnel that a client requests, or throws the reason for refusing it.
    convenience init(askedBy head: RequestHead, _ context: SessionContext) throws(TunnelRefusal) {
        guard case .authority(let host, let port) = head.target else {
            throw TunnelRefusal(400, "Malformed CONNECT", "CONNECT needs HOST:PORT.")
        }
        let target = LoadTarget(scheme: .https, host: host, port: port)
        let ruled = context.ruled(on: target)
        if ruled.isOwn {
            throw TunnelRefusal(508, "This is the gate itself", recordedAs: .failed, of: target, .loop(target))
        }
        let listing = ruled.listing(in: context.loop.policy)
        if listing.isPrivateRelay {
            throw TunnelRefusal(502, "No such host", recordedAs: .outside, of: target, .privateRelay(host))
        }
        guard ruled.isPermit else {
            throw TunnelRefusal(403, "Not permitted", "The policy does not allow this connection.")
        }
        self.init(
            ruled: ruled, opened: context.now, passthrough: context.passthrough(of: host, listing),
            agent: context.recordedClient.userAgent)
    }
}

extension SessionContext {
    /// True if a client requests a tunnel to the gate's own pages.
    func asksForOwnPages(_ head: RequestHead) -> Bool {
        guard loop.ownSite != nil, case .authority(let host, _) = head.target else { return false }
        if let original = place.original { return original.address == OwnSite.address }
        return HostGrammar.normalized(host) == OwnSite.name
    }
}

/// The answers to a client that requested a tunnel. A redirected client gets none.
extension LoadEntrance {
    /// The ending of a load whose tunnel is refused.
    var refusedEnding: GateEnding {
        switch self {
        case .proxy: .refusedTunnel
        case .socks: .refusedSOCKS
        case .transparent, .wireguard, .capture: .close
        }
    }

    /// Confirms to the client that its tunnel is open.
    func confirm(to client: ClientStream) {
        switch self {
        case .proxy: client.compose { $0.append("HTTP/1.1 200 Connection established\r\nVia: 1.1 atsgate\r\n\r\n") }
        case .socks: client.send(SOCKSReply.succeeded.bytes)
        case .transparent, .wireguard, .capture: break
        }
    }

    /// Refuses the tunnel; no data follows.
    func refuse(
        to client: ClientStream, _ status: Int, answering head: RequestHead, title: String, sentences: [String],
        failure: LoadFailure? = nil
    ) {
        switch self {
        case .proxy:
            let page = GatePage(status: status, title: title, sentences: sentences, wantsJSON: head.wantsJSON)
            client.write(page, answering: head, ends: true)
        case .socks: client.send(SOCKSReply(status: status, failure: failure).bytes)
        case .transparent, .wireguard, .capture: break
        }
    }

    /// Refuses the tunnel because its origin could not be reached.
    func refuse(
        to client: ClientStream, _ failure: NetworkFailure, answering head: RequestHead, _ diagnosis: RecordedDiagnosis
    ) {
        refuse(
            to: client, failure.gatewayStatus, answering: head, title: failure.title,
            sentences: diagnosis.findings.map(\.observed), failure: .network(failure))
    }
}

extension ClientStream {
    /// Writes one of the gate's own answers.
    ///
    /// - Parameters:
    ///   - head: the request; nil if it could not be read.
    ///   - ends: the connection ends with this answer.
    func write(_ page: GatePage, answering head: RequestHead?, ends: Bool) {
        compose { page.write(to: $0, answering: head, ends: ends) }
    }
}

extension RequestHead {
    /// True if the client accepts JSON and not HTML, as API clients do.
    var wantsJSON: Bool {
        guard let accept = fields.value(of: .accept)?.lowercased() else { return false }
        return accept.contains("json") && !accept.contains("text/html")
    }
}
