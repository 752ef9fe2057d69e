import ATSPolicy
import HTTPWire
import OriginHandshake
import Records
import TLSEngine
import Text

/// The reason why a host is not decrypted.
enum Passthrough {
    /// The settings exclude the host.
    case asked
    /// Recognized: the client pins the host.
    case pinned
    /// Witness mode decrypts no host, and observes the clients.
    case witnessed
}

/// A CONNECT tunnel: state shared by all loads in it.
final class Tunnel {
    /// The result of a tunnel that carried no load of its own.
    enum Conclusion {
        /// No failure so far.
        case open
        /// It carries data that ATS does not govern.
        case outside
        case failed
        case refused(LoadFailure)
        /// The ATS rules or the gate's settings block this kind of data.
        case forbidden
    }

    /// The ruling that the tunnel was dialed under: for the host that the client named, regardless of its hello.
    private var dialing: TargetRuling
    let opened: Timestamp
    /// The reason why the client's bytes are relayed unchanged; nil if they are decrypted.
    private(set) var passthrough: Passthrough?
    /// The User-Agent of the CONNECT request; loads inside may have another.
    let agent: String?
    /// The target and its ruling; after a load, those of the latest load.
    private(set) var ruled: TargetRuling
    /// The client's hello; nil before it arrived, and without TLS.
    private(set) var hello: ClientHello?
    /// The latest Host field that named the tunnel's own host: most loads have the same.
    private var ownAuthority: String?
    /// The origin of its latest handshake; nil before the first.
    private(set) var met: MetOrigin?
    /// The parent proxy that it goes through.
    private(set) var via: String?
    /// Microseconds that connecting took; nil for a connection from the pool.
    private(set) var connectTicks: Int64?
    /// Microseconds of its last handshake; nil if none was needed.
    private(set) var handshakeTicks: Int64?
    private(set) var conclusion = Conclusion.open
    /// The reason why a device would have refused it: shown to the client in enforce mode, only recorded in audit mode.
    private(set) var diagnosis: RecordedDiagnosis?
    /// The reason why its cleartext is denied; set in audit mode, too.
    private(set) var denial: RecordedDiagnosis?
    /// Findings that belong in the record even without a failure.
    private(set) var remark: RecordedDiagnosis?
    var isRecorded = false
    /// Loads recorded inside this tunnel; a tunnel without any is recorded itself.
    var records = 0

    init(ruled: TargetRuling, opened: Timestamp, passthrough: Passthrough?, agent: String?) {
        self.ruled = ruled
        dialing = ruled
        self.opened = opened
        self.passthrough = passthrough
        self.agent = agent
    }

    var target: LoadTarget { ruled.target }

    /// The permit for further connections.
    var dialed: ConnectPermit { dialing.permit }

    /// True if the client did not request the tunnel: its connection was redirected here.
    var isTransparent: Bool { ruled.place != nil }

    /// True if its first connection may be a used one. Not for a redirected client, whose host is still unknown.
    var mayReuse: Bool { passthrough == nil && !isTransparent }

    /// Sets the ruling for loads from now on.
    ///
    /// - Parameter dialing: the ruling for further connections, if it changes.
    func retarget(under ruled: TargetRuling, dialing: TargetRuling? = nil) {
        self.ruled = ruled
        if let dialing { self.dialing = dialing }
    }

    /// Sets the ruling for the host that a client named after it asked for an address.
    func adoptName(_ ruled: TargetRuling, passthrough: Passthrough?) {
        retarget(under: ruled, dialing: ruled.place == nil ? nil : ruled)
        guard isTransparent else { return }
        self.passthrough = self.passthrough ?? passthrough
        if let doubt = ruled.doubt { add(doubt) }
    }

    /// Notes the client's hello.
    func heard(_ hello: ClientHello) {
        self.hello = hello
        if let finding = otherServerName(in: hello) { add(RecordedDiagnosis(finding)) }
    }

    /// The finding about a hello for another host than the one that the client opened the tunnel to; nil if there is none.
    /// A client that asked for an address names its host in the hello.
    func otherServerName(in hello: ClientHello) -> Finding? {
        guard let name = hello.serverName.text, hello.serverName.isSound, !target.isNamed(name) else { return nil }
        if target.address != nil, IPAddress(host: name) == nil { return nil }
        return .otherServerName(name, inTunnelTo: target.host)
    }

    /// Uses the ruling of a load that is carried for later loads. If requests name their hosts, an earlier denial was about
    /// another one.
    func follow(_ load: Load) {
        retarget(under: load.ruled)
        guard isNamedByRequests, load.ruled.isPermit, denial != nil else { return }
        denial = nil
        diagnosis = nil
        if case .forbidden = conclusion { conclusion = .open }
    }

    /// True in witness mode, which decrypts no TLS and refuses no load.
    var isWitnessed: Bool { passthrough == .witnessed }

    /// Notes a connected link to its origin.
    func linkConnected(_ link: OriginLink) {
        if !link.hasRested { connectTicks = link.connectTicks }
        via = link.route.parent
    }

    /// Notes the result of a handshake with its origin.
    func note(_ met: MetOrigin) {
        self.met = met
        handshakeTicks = met.handshakeTicks ?? handshakeTicks
    }

    /// - Parameter diagnosis: the reason why a device would have refused the origin, in audit mode.
    func judged(_ met: MetOrigin, diagnosis: RecordedDiagnosis?) {
        note(met)
        self.diagnosis = diagnosis
        if let remark = met.remark { add(remark) }
    }

    /// The client's own handshake passes: drops the findings about the gate's own.
    func cleared(by met: MetOrigin) {
        note(met)
        guard denial == nil else { return }
        diagnosis = nil
        if case .failed = conclusion { conclusion = .open }
    }

    /// Ends the tunnel as refused: a device would not have loaded from there.
    func refuse(_ failure: LoadFailure, _ diagnosis: RecordedDiagnosis) {
        conclusion = .refused(failure)
        self.diagnosis = diagnosis
    }

    /// Ends the tunnel as failed, unless its cleartext is denied: then malformed data makes no difference.
    func fail(_ diagnosis: RecordedDiagnosis) {
        guard denial == nil else { return }
        conclusion = .failed
        self.diagnosis = diagnosis
    }

    func forbid(_ diagnosis: RecordedDiagnosis) {
        conclusion = .forbidden
        self.diagnosis = diagnosis
    }

    /// Notes that it carries cleartext that is denied.
    func deny(_ denial: RecordedDiagnosis, isEnforced: Bool) {
        self.denial = denial
        diagnosis = denial
        conclusion = isEnforced ? .forbidden : .open
    }

    func markOutside() {
        if denial == nil { conclusion = .outside }
    }

    /// Adds findings that belong in the record regardless of how the tunnel ends.
    func add(_ remark: RecordedDiagnosis) {
        self.remark = self.remark?.adding(remark) ?? remark
    }

    /// Notes the reason for the session's end, if the tunnel has no other result yet.
    func end(_ reason: EndReason, _ context: SessionContext) {
        guard case .open = conclusion, diagnosis == nil else { return }
        switch reason {
        case .origin(.left(let reset)): fail(context.lost(self, reset: reset))
        case .settled, .client, .gate:
            if let finding = reason.finding(after: context.client.relayed.received) { fail(RecordedDiagnosis(finding)) }
        }
    }

    /// Notes a client that finishes its handshake and leaves immediately without a request, as apps that check the
    /// certificate after the handshake do.
    func noteLeaving(_ reason: EndReason, _ context: SessionContext) {
        guard let admittedTicks = context.client.admittedTicks, context.now.ticks - admittedTicks < Self.atOnce else {
            return
        }
        switch reason {
        case .client, .settled: break
        case .origin, .gate: return
        }
        let suspicion = context.loop.pinning.refused(
            target.host, context.pinningClient(agent), at: context.now.ticks)
        // If the client has never sent a request, leaving proves nothing.
        guard suspicion != .lacksAuthority else { return }
        add(RecordedDiagnosis(.leftAtOnce(target.host, suspicion, declared: declaredPins(by: context.system))))
    }

    /// In microseconds. A connection made in advance stays open for longer.
    private static let atOnce: Int64 = 1_000_000

    var verdict: Verdict {
        switch conclusion {
        case .open: diagnosis == nil ? .allowed : .wouldBlock
        case .outside: .outside
        case .failed: .failed
        case .refused(let failure): failure.verdict
        case .forbidden: .blocked
        }
    }

    /// Returns the host of a request if it is not the tunnel's own in any spelling. Ports do not count, because ATS rules
    /// have none. Remembers the Host field, because the next one is most likely the same. Source: RFC 9112 sections 3.2.2
    /// and 3.3; RFC 9113 section 8.3.1.
    func otherHost(in head: RequestHead) -> String? {
        switch head.target {
        case .authority: return nil
        case .absolute(let absolute): return target.isNamed(absolute.host) ? nil : absolute.host
        case .path, .asterisk:
            guard let text = head.fields.value(of: .host), !text.isEmpty, text != ownAuthority else { return nil }
            // An invalid authority is another host, too.
            let host = (try? Authority(text[...]))?.host ?? text
            guard target.isNamed(host) else { return host }
            ownAuthority = text
            return nil
        }
    }

    /// True if the tunnel itself may still need a record.
    var awaitsRecord: Bool { !isRecorded && records == 0 }
}

extension Tunnel {
    /// True if each request names its host: cleartext of a client that asked for an address, or was redirected from one.
    var isNamedByRequests: Bool { target.scheme == .http && dialed.target.address != nil }

    /// The address that a proxy's client asked for, if its requests name their hosts: all of them go there.
    var addressToDial: ConnectPermit? { isNamedByRequests && !isTransparent ? dialed : nil }

    /// The target of a request in the tunnel: the tunnel's own, or the host that the request names, at the port that was
    /// asked for. Source: RFC 9112 sections 3.2.2 and 3.3.
    func target(askedBy head: RequestHead) -> LoadTarget {
        guard isNamedByRequests else { return target }
        return LoadTarget(scheme: .http, host: head.namedHost ?? dialed.target.host, port: dialed.target.port)
    }

    /// The finding about a request that its connection cannot carry: a tunnel has one host, and a redirected connection has
    /// one address. The client may ask again on a separate connection. Source: RFC 9110 sections 7.4 and 15.5.20.
    func misdirection(of load: Load) -> RecordedDiagnosis? {
        guard isNamedByRequests else {
            let finding =
                otherHost(in: load.head).map { Finding.misdirected(to: $0, inTunnelTo: target.host) }
                ?? hello.flatMap { otherServerName(in: $0) }
            return finding.map { RecordedDiagnosis($0) }
        }
        let address = dialed.target.address
        switch address.map({ RedirectedName(load.target.host, at: $0) }) {
        case .trusted?, nil: return nil
        case .local? where load.ruled.place != nil: return nil
        case .local?, .otherAddress?:
            return RecordedDiagnosis(.otherAddress(dialed.target.host, than: load.target.host))
        }
    }
}

extension LoadTarget {
    /// True if a name is that of this host, in any spelling.
    func isNamed(_ name: String) -> Bool {
        name == host || HostGrammar.normalized(name) == HostGrammar.normalized(host)
    }
}

extension Tunnel {
    /// The client's behavior, if any was visible.
    func conduct(of client: ClientStream) -> ConversationOutcome {
        if let witnessed = client.witnessed { return witnessed }
        if hello != nil { return .unknown(.leftBeforeAnswer) }
        if case .outside = conclusion { return .unknown(.notTLS) }
        return .unknown(.noHello)
    }
}

/// Updates a tunnel by rulings, and by the handshakes of its links.
extension SessionContext {
    /// Rules again on a tunnel whose ruling is of an earlier policy, or was made before the hello showed another client
    /// or release. Includes its dialed target.
    func renew(_ tunnel: Tunnel) {
        guard !isInForce(tunnel.ruled) || !isOfClient(tunnel.ruled) else { return }
        tunnel.retarget(under: ruled(on: tunnel.target), dialing: ruled(on: tunnel.dialed.target))
    }

    /// Rules on a tunnel that carries cleartext HTTP by its http:// URL, as a device would. A denied tunnel is recorded
    /// as such, however it ends, unless its loads have records of their own.
    ///
    /// - Returns: true if the cleartext may continue.
    @discardableResult
    func judgeAsCleartext(_ tunnel: Tunnel) -> Bool {
        let ruled = ruledOnCleartext(of: tunnel)
        tunnel.retarget(under: ruled)
        guard case .denial(let denial) = ruled.ruling else { return true }
        let verdict = RuleBook.standard.judge(denial, profile: ruled.system.profile)
        let isEnforced = loop.policy.rules.mode == .enforce
        tunnel.deny(diagnosis(verdict, of: ruled, path: "/"), isEnforced: isEnforced)
        return !isEnforced
    }

    /// Records that a relay carried content that is denied.
    func deny(_ content: RelayGate.Content, in tunnel: Tunnel) {
        switch content {
        case .cleartext: judgeAsCleartext(tunnel)
        // In witness mode the gate relays each handshake that it cannot read, and the record has the reason already.
        case .handshake where tunnel.isWitnessed: break
        case .handshake:
            tunnel.deny(RecordedDiagnosis(.unjudgedHandshake), isEnforced: loop.policy.rules.mode == .enforce)
        }
    }

    /// True if a client's own handshake may end its tunnel. Witness mode only records the result.
    func refusesHandshakes(in tunnel: Tunnel) -> Bool { !tunnel.isWitnessed && loop.policy.rules.mode == .enforce }

    /// Handles data of a client's own handshake, or after it, that cannot be read, and so not judged: fails the tunnel, or
    /// only records the finding.
    ///
    /// - Returns: true if the tunnel may continue.
    func tolerates(_ finding: Finding, in tunnel: Tunnel) -> Bool {
        let isFatal = refusesHandshakes(in: tunnel)
        if isFatal { tunnel.fail(RecordedDiagnosis(finding)) } else { tunnel.add(RecordedDiagnosis(finding)) }
        return !isFatal
    }

    /// Records a tunnel that carries neither TLS nor HTTP as outside, unless audit mode let denied content pass.
    func markOutside(_ tunnel: Tunnel, after gate: RelayGate) {
        if let content = gate.audited { deny(content, in: tunnel) } else { tunnel.markOutside() }
    }

    /// Reads the server name of a client's hello, which is the host of a client that asked for an address.
    func note(_ hello: ClientHello, for tunnel: Tunnel) {
        if !hello.serverName.isSound {
            tunnel.add(RecordedDiagnosis(.malformedServerName))
        } else if let name = hello.serverName.text, tunnel.target.address != nil, IPAddress(host: name) == nil {
            adopt(name, for: tunnel)
        }
        tunnel.heard(hello)
        if tunnel.passthrough == .pinned {
            tunnel.add(RecordedDiagnosis(.passedThrough(tunnel.target.host, declared: tunnel.declaredPins(by: system))))
        }
    }

    /// Uses the name in the hello as the host of a client that dialed an address: its URL had the name.
    private func adopt(_ name: String, for tunnel: Tunnel) {
        let ruled = ruled(on: LoadTarget(scheme: .https, host: name, port: tunnel.target.port))
        guard ruled.isPermit else { return }
        let passthrough = passthrough(of: name, ruled.listing(in: loop.policy))
        tunnel.adoptName(ruled, passthrough: passthrough)
    }

    /// Refuses a tunnel because of its origin's handshake.
    ///
    /// - Returns: the diagnosis as the app would see it.
    func refuse(_ tunnel: Tunnel, with origin: MetOrigin, _ failure: LoadFailure) -> RecordedDiagnosis {
        let diagnosis = diagnosis(of: origin, under: tunnel.ruled, path: "/")
        tunnel.note(origin)
        tunnel.refuse(failure, diagnosis)
        return diagnosis
    }

    /// Refuses a tunnel whose origin cannot be reached, after the client received the confirmation.
    ///
    /// - Returns: the diagnosis as the app would see it.
    func refuse(_ tunnel: Tunnel, for failure: NetworkFailure) -> RecordedDiagnosis {
        let diagnosis = diagnosis(failure, of: tunnel.ruled, path: "/")
        tunnel.refuse(.network(failure), diagnosis)
        return diagnosis
    }

    /// Notes that a tunnel's origin was judged. A diagnosis of an origin that is used anyway goes into the record.
    func judged(_ met: MetOrigin, in tunnel: Tunnel) {
        let isAllowedOnly = met.isDoubtful || met.failure != nil
        tunnel.judged(met, diagnosis: isAllowedOnly ? diagnosis(of: met, under: tunnel.ruled, path: "/") : nil)
    }
}

extension ServerName {
    /// True if the name is a valid host name, or absent.
    var isSound: Bool {
        switch self {
        case .absent: true
        case .name(let name): HostGrammar.isValidHost(name)
        case .unreadable: false
        }
    }
}

extension Finding {
    fileprivate static func misdirected(to name: String, inTunnelTo host: String) -> Finding {
        seen(
            .clientServerName, "Connection not valid for this host",
            expected: "the host that the tunnel was opened to, \(host)",
            observed: "The request is for \(name), but its tunnel is to \(host).", source: "RFC 9110 15.5.20")
    }
}

extension RequestHead {
    /// The host of its absolute target, or of its Host field; nil if neither names one.
    fileprivate var namedHost: String? {
        if case .absolute(let absolute) = target { return absolute.host }
        guard let text = fields.value(of: .host), let authority = try? Authority(text[...]) else { return nil }
        return authority.host
    }
}
