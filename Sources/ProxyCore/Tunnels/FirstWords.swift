import ATSPolicy
import Bytes
import HTTPWire
import Records
import TLSEngine
import Text

/// What is said first in a tunnel: the client's bytes are sorted before any of them goes on, the origin's may pass.
final class FirstWords {
    enum Sort {
        case going
        /// HTTP/1 in the clear.
        case cleartext(OriginLink?)
        /// HTTP/2 with prior knowledge. Source: RFC 9113 section 3.3.
        case streams(OriginLink?)
        /// Neither TLS nor HTTP; without a link a new one has to be dialed.
        case other(FirstBytes.Kind, OriginLink?)
        /// The client has heard so many bytes of its origin.
        case passedOn(bytes: Int)
        /// The gate was told to let nothing else pass.
        case refused(RecordedDiagnosis)
        /// The origin's first bytes must not reach the client.
        case denied(RelayGate.Content)
        /// The whole ClientHello.
        case hello(HeldClient, OriginLink?)
        case unreadable(Finding)
        case ended(EndReason)
    }

    private let context: SessionContext
    private let tunnel: Tunnel
    /// Why its origin could not be reached: told of once the client has named its host, or has not.
    let trouble: RecordedDiagnosis?
    private var link: OriginLink?
    /// Reads the client's hello; the bytes stay in the inbox, too.
    private var hello: TLSMachine?
    /// What that machine says: for the client only where the gate, and not the origin, answers the hello.
    private let reply = ByteQueue()
    private var helloBytes = 0
    /// The client has read words of the origin before it said anything itself.
    private(set) var originHasSpoken = false
    private var originHasEnded = false
    /// Decides whether an origin that speaks first may be relayed.
    private(set) var gate = RelayGate()

    /// - Parameter trouble: why there is no link, where only the client's words are wanted.
    init(
        _ context: SessionContext, _ tunnel: Tunnel, over link: OriginLink?, after trouble: RecordedDiagnosis? = nil
    ) {
        self.trouble = trouble
        self.context = context
        self.tunnel = tunnel
        self.link = link
    }

    private var inbox: ByteQueue { context.client.inbox }

    // MARK: The client

    /// Decides by all that the client has said how its tunnel goes on.
    func sort() -> Sort {
        if hello != nil { return readHello() }
        switch FirstBytes(inbox.bytes) {
        case .undecided:
            if !inbox.isEmpty, context.timer.armed != .head { context.arm(.head) }
            return .going
        case .tls: return readHello()
        case .http: return readCleartext(isHTTP2: false)
        case .http2: return readCleartext(isHTTP2: true)
        case .other(let kind): return other(kind)
        }
    }

    /// Takes the client's hello and holds it until the origin has shown itself.
    private func readHello() -> Sort {
        if hello == nil, let held = readOrdinaryHello() { return read(held) }
        let machine: TLSMachine
        if let hello {
            machine = hello
        } else {
            do throws(TLSSetupError) {
                machine = try TLSMachine.client(context.loop.clientContext, outbox: reply)
            } catch {
                return .ended(.gate(.fault(.tls(error))))
            }
            hello = machine
        }
        let bytes = ByteView(inbox.bytes).slice(from: helloBytes)
        helloBytes = inbox.count
        machine.receive(bytes, plaintext: ByteQueue())
        switch machine.state {
        case .helloHeld: return helloIsHeld(by: machine)
        case .handshaking:
            if context.timer.armed != .handshake { context.arm(.handshake) }
            return .going
        case .established, .closed, .failed:
            if tunnel.passthrough != .witnessed { answerHello() }
            return .unreadable(.unreadableHello)
        }
    }

    /// The hello is whole.
    private func helloIsHeld(by machine: TLSMachine) -> Sort {
        guard let held = HeldClient(machine, context.loop.clientContext) else { return .unreadable(.unreadableHello) }
        // Where the client is only watched, its origin answers it, whatever it asks for.
        guard held.hello.serverName.isSound || tunnel.passthrough == .witnessed else {
            return .unreadable(.malformedServerName)
        }
        return read(held)
    }

    /// A tunnel has one host: a hello for another one is refused.
    private func read(_ held: HeldClient) -> Sort {
        if context.loop.policy.rules.mode == .enforce, let finding = tunnel.otherServerName(in: held.hello) {
            return .unreadable(finding)
        }
        return .hello(held, takeLink())
    }

    /// A hello that its origin will answer, where it is whole and like most: without a machine, which costs a third of all
    /// instructions of a tunnel (callgrind).
    private func readOrdinaryHello() -> HeldClient? {
        guard tunnel.passthrough != nil, context.place.original == nil,
            let held = HeldClient(inbox.bytes, context.loop.clientContext), held.hello.serverName.isSound
        else { return nil }
        return held
    }

    /// It is the gate that answers the hello: what its machine says, and has said, is for the client.
    private func answerHello() { hello?.redirect(to: context.client.outbox) }

    /// A request in the clear inside a tunnel: a device would have judged its http:// URL.
    private func readCleartext(isHTTP2: Bool) -> Sort {
        guard let link = takeLink() else { return isHTTP2 ? .streams(nil) : .cleartext(nil) }
        // For HTTP/2 it is of use when loads may go there and it has carried no HTTP/1.1.
        if link.isSecured || isHTTP2 && (link.hasRested || !context.passesCleartext(in: tunnel)) {
            context.giveBack(link)
            return isHTTP2 ? .streams(nil) : .cleartext(nil)
        }
        return isHTTP2 ? .streams(link) : .cleartext(link)
    }

    /// The client speaks something of its own: raw sockets are not governed by ATS.
    private func other(_ kind: FirstBytes.Kind) -> Sort {
        guard context.loop.policy.rules.otherTraffic == .relay else {
            return .refused(RecordedDiagnosis(.otherTraffic(kind)))
        }
        guard let link else { return .other(kind, nil) }
        self.link = nil
        guard !link.isSecured else {
            // A link that is up for TLS is no use.
            context.giveBack(link)
            return .other(kind, nil)
        }
        return .other(kind, link)
    }

    /// The link, unless its origin has said something that the client has read already.
    func takeLink() -> OriginLink? {
        guard let link else { return nil }
        self.link = nil
        guard originHasSpoken else { return link }
        context.drop(link)
        return nil
    }

    /// The client is gone before its tunnel stood. What it asked in the clear by then is ruled on all the same.
    static func abandonDial(of tunnel: Tunnel, _ context: SessionContext) {
        context.effect(.abandonConnect)
        ruleOnEarly(tunnel, context)
    }

    /// Whether what the client of a tunnel says decides, though its origin can not be reached: a redirected one is connected already,
    /// and what came in the clear with a CONNECT is refused before any dial on a device, where it is denied.
    static func decide(_ tunnel: Tunnel, _ context: SessionContext) -> Bool {
        tunnel.isTransparent || !ruleOnEarly(tunnel, context)
    }

    /// - Returns: whether what came before the tunnel stood may go on.
    @discardableResult
    private static func ruleOnEarly(_ tunnel: Tunnel, _ context: SessionContext) -> Bool {
        switch FirstBytes(context.client.inbox.bytes) {
        case .http, .http2: context.judgeAsCleartext(tunnel)
        case .undecided, .tls, .other: true
        }
    }

    // MARK: The origin

    /// A server that speaks first is heard at once, unless it speaks HTTP and that is denied. One that may have begun
    /// HTTP/2, which need not wait for its client either, is kept until the client's words are known.
    func originSent(_ bytes: UnsafeRawBufferPointer, on link: OriginLink) -> Sort {
        guard link === self.link else { return .going }
        guard !link.isSecured else {
            if !link.staysFit(after: bytes) { lose(link) }
            return .going
        }
        link.plaintext.append(bytes)
        let mayPass = originHasSpoken || !Self.mayBeServerPreface(link.plaintext.bytes)
        let passage = hello != nil ? .pass : mayPass ? gate.originSent(bytes, in: tunnel, context) : .hold
        switch passage {
        case .pass: return passOn(link)
        case .refuse(let content): return .denied(content)
        case .hold:
            if link.plaintext.count > context.highWaterBytes { context.hold(link, .undecided) }
            return .going
        }
    }

    private func passOn(_ link: OriginLink) -> Sort {
        let count = link.plaintext.count
        defer { link.plaintext.removeAll() }
        // A hello that has begun is answered by nobody but us.
        guard hello == nil else { return .going }
        originHasSpoken = true
        context.client.send(link.plaintext.bytes)
        if context.timer.armed != .head { context.arm(.idle) }
        context.holdBack(link, waiting: context.client.outbox.count)
        return .passedOn(bytes: count)
    }

    func originEnded(_ link: OriginLink, reset: Bool) -> Sort {
        guard link === self.link else { return .going }
        lose(link)
        guard originHasSpoken else {
            // It may just have been idle for too long, and the client makes up its mind.
            originHasEnded = true
            context.arm(.head)
            return .going
        }
        return .ended(.settled)
    }

    private func lose(_ link: OriginLink) {
        context.drop(link)
        self.link = nil
    }

    // MARK: Waiting

    func deadlinePassed(_ deadline: Deadline) -> Sort {
        switch deadline {
        case .handshake: .unreadable(.unreadableHello)
        case .head, .idle, .answer, .halfClosed, .linger:
            originHasEnded && inbox.isEmpty
                ? .ended(.origin(.left(reset: false)))
                : .ended(.client(.stalled(context.loop.policy.rules.limits.duration(of: deadline))))
        }
    }

    var awaitsClient: Bool { link?.holds.contains(.clientFull) ?? false }

    func clientDrained() {
        if let link { context.release(link, .clientFull) }
    }

    func releaseLinks() {
        if let link { lose(link) }
    }

    /// Whether an origin's first words may be the preface of an HTTP/2 server: a SETTINGS frame on stream 0 that
    /// acknowledges nothing. Source: RFC 9113 sections 3.4, 4.1 and 6.5.
    private static func mayBeServerPreface(_ bytes: UnsafeRawBufferPointer) -> Bool {
        zip(bytes, serverPreface).allSatisfy { byte, wanted in wanted == nil || byte == wanted }
    }

    /// Length, of which the first byte is 0 for every frame that may come yet; type; flags; stream.
    private static let serverPreface: [UInt8?] = [0, nil, nil, 4, 0, 0, 0, 0, 0]
}
