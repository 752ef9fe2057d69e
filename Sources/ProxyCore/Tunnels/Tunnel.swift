import ATSPolicy
import HTTPWire
import Records
import TLSEngine
import Text

/// Why a host is not decrypted.
enum Passthrough {
    /// By the settings.
    case asked
    /// The client was found to pin it.
    case pinned
    /// No host is: what clients do is watched.
    case witnessed
}

/// What holds for everything inside one CONNECT tunnel.
final class Tunnel {
    /// What a tunnel that carried no load of its own is recorded as.
    enum Conclusion {
        /// Nothing stands against it.
        case open
        /// It carries what ATS does not govern.
        case outside
        case failed
        case refused(LoadFailure)
        /// The law, or the gate's settings, let nothing of the kind pass.
        case barred
    }

    /// The answer that the tunnel was dialed by: for the address that the client named, whatever its hello says.
    private var dialing: TargetRuling
    let opened: Timestamp
    /// Why the client's bytes go on as they are; nil where they are decrypted.
    private(set) var passthrough: Passthrough?
    /// The agent that asked for it: what the client says inside may name another.
    let agent: String?
    /// What it is for, and the law's answer to that: of its loads, the last one's.
    private(set) var ruled: TargetRuling
    /// What the client's hello asked for; nil before it came, and where there is none.
    private(set) var hello: ClientHello?
    /// Another host that the hello asked for: whatever carries the tunnel has to do for it, too.
    private(set) var alsoNamed: LoadTarget?
    /// Its client was redirected to an address that the name in its hello is not known to lead to.
    private(set) var isDoubtful = false
    /// What is worth saying of each load: that its client named another host.
    private(set) var loadRemark: RecordedDiagnosis?
    /// The last Host that was found to be the tunnel's own: most loads have the same.
    private var ownAuthority: String?
    /// Its origin, as far as it was met.
    private(set) var origin = TunnelOrigin()
    private(set) var conclusion = Conclusion.open
    /// What a device would have refused: shown to the client in enforce mode, only recorded in audit mode.
    private(set) var diagnosis: RecordedDiagnosis?
    /// Why the cleartext that it carries is denied, in audit mode, too.
    private(set) var denial: RecordedDiagnosis?
    /// What is worth saying though nothing failed.
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

    /// What further connections are dialed with.
    var dialed: ConnectPermit { dialing.permit }

    /// Its client asked for no tunnel: it was redirected here.
    var isTransparent: Bool { ruled.place != nil }

    /// Its first connection may be one that was used before; of a redirected client nothing but an address is known yet.
    var mayReuse: Bool { passthrough == nil && !isTransparent }

    /// Nothing but what its loads' own host is asked stands between its client and a link that others have used.
    var sharesLinks: Bool { alsoNamed == nil && !isDoubtful }

    /// Loads go under this ruling from here on.
    ///
    /// - Parameter dialing: what further connections are dialed by, where that is another one now.
    func lead(under ruled: TargetRuling, dialing: TargetRuling? = nil) {
        self.ruled = ruled
        if let dialing { self.dialing = dialing }
    }

    /// The client of an address has named its host: loads go under that ruling, and by what holds for that host.
    ///
    /// - Parameter doubt: what is to be told where that host is not known to lead to the address.
    func take(name ruled: TargetRuling, passthrough: Passthrough?, doubt: RecordedDiagnosis?) {
        lead(under: ruled, dialing: ruled.place == nil ? nil : ruled)
        guard isTransparent else { return }
        self.passthrough = self.passthrough ?? passthrough
        loadRemark = doubt
        isDoubtful = doubt != nil
        if let doubt { add(doubt) }
    }

    /// The client's hello is here. A name in it that is not the tunnel's host is one more host to be ruled for.
    func heard(_ hello: ClientHello) {
        self.hello = hello
        guard let name = hello.serverName.text, hello.serverName.isSound, !target.isNamed(name) else { return }
        alsoNamed = LoadTarget(scheme: .https, host: name, port: target.port)
        let remark = RecordedDiagnosis(.otherServerName(name, inTunnelTo: target.host))
        loadRemark = remark
        add(remark)
    }

    /// A link to its origin is there.
    func met(_ link: OriginLink) { origin.met(link) }

    /// Its origin broke a handshake that offered a session.
    func stumbled() { origin.stumbled() }

    /// The handshake of one more link has shown its origin.
    func judged(by link: OriginLink) { origin.judged(link.origin, handshakeTicks: link.handshakeTicks) }

    /// The link that loads go on: its origin was judged.
    func secured(by link: OriginLink) {
        judged(link.origin, remark: link.remark, handshakeTicks: link.handshakeTicks, diagnosis: link.diagnosis)
    }

    /// - Parameter diagnosis: what a device would have refused, in audit mode.
    func judged(
        _ origin: RecordedOrigin, remark: RecordedDiagnosis?, handshakeTicks: Int64?, diagnosis: RecordedDiagnosis?
    ) {
        self.origin.judged(origin, handshakeTicks: handshakeTicks)
        self.diagnosis = diagnosis
        if let remark { add(remark) }
    }

    /// The client's own handshake passes: what stood against the gate's own is not held against the load.
    func cleared(by origin: RecordedOrigin) {
        self.origin.judged(origin, handshakeTicks: nil)
        guard denial == nil else { return }
        diagnosis = nil
        if case .failed = conclusion { conclusion = .open }
    }

    /// A device would not have loaded from there.
    func refuse(_ failure: LoadFailure, _ diagnosis: RecordedDiagnosis) {
        conclusion = .refused(failure)
        self.diagnosis = diagnosis
    }

    /// What is denied stays that, however malformed it turns out to be.
    func fail(_ diagnosis: RecordedDiagnosis) {
        guard denial == nil else { return }
        conclusion = .failed
        self.diagnosis = diagnosis
    }

    func bar(_ diagnosis: RecordedDiagnosis) {
        conclusion = .barred
        self.diagnosis = diagnosis
    }

    /// It carries what the law denies.
    func deny(_ denial: RecordedDiagnosis, isEnforced: Bool) {
        self.denial = denial
        diagnosis = denial
        conclusion = isEnforced ? .barred : .open
    }

    func leaveOutside() {
        if denial == nil { conclusion = .outside }
    }

    /// Findings that go with the record whatever becomes of the tunnel.
    func add(_ remark: RecordedDiagnosis) {
        self.remark = self.remark?.adding(remark) ?? remark
    }

    /// What the session's end adds, where nothing was concluded yet.
    func end(_ reason: EndReason, _ context: SessionContext) {
        guard case .open = conclusion, diagnosis == nil else { return }
        switch reason {
        case .origin(.left(let reset)): fail(context.lost(self, reset: reset))
        case .settled, .client, .gate:
            if let finding = reason.finding(after: context.client.relayed.received) { fail(RecordedDiagnosis(finding)) }
        }
    }

    /// A client that finishes its handshake, asks for nothing and leaves at once has looked at the certificate itself:
    /// so do apps that pin after the handshake.
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
        // Of a client that never asked for anything, leaving tells nothing.
        guard suspicion != .lacksAuthority else { return }
        add(RecordedDiagnosis(.leftAtOnce(target.host, suspicion, declared: declaredPins(by: context.system))))
    }

    /// In microseconds. A connection that is made for later stays open for longer.
    private static let atOnce: Int64 = 1_000_000

    var verdict: Verdict {
        switch conclusion {
        case .open: diagnosis == nil ? .allowed : .wouldBlock
        case .outside: .outside
        case .failed: .failed
        case .refused(let failure): failure.verdict
        case .barred: .blocked
        }
    }

    /// Takes note of the host that a head asks for: the next one most likely spells it alike. Ports do not count, because
    /// the law has none. Source: RFC 9112 sections 3.2.2 and 3.3; RFC 9113 section 8.3.1.
    ///
    /// - Returns: the host, of the tunnel's scheme, where it is another than the tunnel's own in whatever spelling.
    func noteHost(of head: RequestHead) -> LoadTarget? {
        // There the request itself says what host it is for.
        if isTransparent, target.scheme == .http { return nil }
        switch head.target {
        case .authority: return nil
        case .absolute(let absolute): return target.isNamed(absolute.host) ? nil : other(absolute.host, absolute.port)
        case .path, .asterisk:
            guard let text = head.fields.value(of: .host), !text.isEmpty, text != ownAuthority else { return nil }
            // What is no authority is no host of ours either.
            let authority = (try? Authority(text[...])) ?? Authority(host: text, port: nil)
            guard target.isNamed(authority.host) else { return other(authority.host, authority.port) }
            ownAuthority = text
            return nil
        }
    }

    private func other(_ host: String, _ port: Int?) -> LoadTarget {
        LoadTarget(scheme: target.scheme, host: host, port: port ?? target.scheme.defaultPort)
    }

    /// The record of the tunnel itself may still come.
    var awaitsRecord: Bool { !isRecorded && records == 0 }
}

extension LoadTarget {
    /// Whether a name is that of this host, in whatever spelling.
    func isNamed(_ name: String) -> Bool {
        name == host || HostGrammar.normalized(name) == HostGrammar.normalized(host)
    }
}
