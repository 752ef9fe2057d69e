import ATSPolicy
import Bytes
import HTTPWire
import Records
import TLSEngine

/// Classifies the client's first bytes in a tunnel before any of them is sent on. Those of the origin may pass.
final class FirstWords: SessionMachine {
    let context: SessionContext
    private let opened: Tunnel
    /// The reason why the origin could not be reached: recorded once the client has named its host, or has not.
    private let trouble: RecordedDiagnosis?
    private var link: OriginLink?
    /// Reads the client's hello; the bytes stay in the inbox, too.
    private var hello: TLSMachine?
    /// The output of that machine: for the client only if the gate, and not the origin, answers the hello.
    private let reply = ByteQueue()
    private var helloBytes = 0
    /// The client has received bytes of the origin before it sent any itself.
    private var hasOriginSent = false
    private var hasOriginEnded = false
    /// Decides whether an origin that sends first may be relayed.
    private let gate: RelayGate
    /// The bytes in the link's plaintext that the gate has seen.
    private var classifiedBytes = 0

    /// - Parameter trouble: the reason why there is no link, if only the client's bytes are needed.
    init(
        _ context: SessionContext, _ tunnel: Tunnel, over link: OriginLink?, after trouble: RecordedDiagnosis? = nil
    ) {
        self.trouble = trouble
        self.context = context
        opened = tunnel
        self.link = link
        gate = RelayGate(context, in: tunnel)
    }

    var tunnel: Tunnel? { opened }
    private var client: ClientStream { context.client }
    private var recorder: LoadRecorder { LoadRecorder(context: context, tunnel: opened) }
    private var inbox: ByteQueue { context.client.inbox }

    func begin() -> Transition {
        if link == nil { context.arm(.linger) } else { context.arm(.idle) }
        return sort()
    }

    // MARK: The client

    func clientSent(_ bytes: UnsafeRawBufferPointer) -> Transition {
        client.receive(bytes)
        return sort()
    }

    /// Classifies all bytes of the client so far.
    private func sort() -> Transition {
        if hello != nil { return readHello() }
        switch FirstBytes(inbox.bytes) {
        case .undecided:
            if !inbox.isEmpty, context.timer.armed != .head { context.arm(.head) }
            return .stay
        case .tls: return readHello()
        case .http: return readCleartext(isHTTP2: false)
        case .http2: return readCleartext(isHTTP2: true)
        case .other(let kind): return other(kind)
        }
    }

    /// Reads the client's hello, which is held until the origin was judged.
    private func readHello() -> Transition {
        if hello == nil, let held = readOrdinaryHello() { return judge(held) }
        let machine: TLSMachine
        if let hello {
            machine = hello
        } else {
            do throws(TLSSetupError) {
                machine = try TLSMachine.client(context.loop.clientContext, outbox: reply)
            } catch {
                return .close(.gate(.fault(.tls(error))))
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
            return .stay
        case .established, .closed, .failed: return refuse(.unreadableHello)
        }
    }

    /// The hello is complete.
    private func helloIsHeld(by machine: TLSMachine) -> Transition {
        guard let held = HeldClient(machine, context.loop.clientContext) else { return refuse(.unreadableHello) }
        // If the client is only watched, its origin answers every hello.
        guard held.hello.serverName.isSound || opened.isWitnessed else {
            return refuse(.malformedServerName)
        }
        return judge(held)
    }

    /// Judges the origin for a hello. A tunnel has one host, so a hello for another one is refused.
    private func judge(_ held: HeldClient) -> Transition {
        if context.loop.policy.rules.mode == .enforce, let finding = opened.otherServerName(in: held.hello) {
            return refuse(finding)
        }
        let link = takeLink()
        context.recognize(helloIn: inbox.bytes)
        context.note(held.hello, for: opened)
        context.releaseClient()
        // The hello may come minutes after the CONNECT, and may show another client.
        context.renew(opened)
        if opened.passthrough == nil {
            client.inbox.removeAll()
            if let end = client.startTLS(with: held) { return end }
        }
        return .become(OriginMeeting(context, in: opened, hello: held, over: link))
    }

    /// Ends a tunnel whose hello cannot be judged. In witness mode it is only recorded.
    private func refuse(_ finding: Finding) -> Transition {
        if opened.diagnosis == nil { opened.fail(RecordedDiagnosis(finding)) }
        if !opened.isWitnessed {
            // The gate answers the hello: the output of its machine is for the client.
            hello?.redirect(to: client.outbox)
        } else if let link = takeLink() {
            client.witnessed = .unknown(.notTLS)
            return relay(over: link)
        }
        recorder.fileTunnel()
        return .close(.settled)
    }

    /// A usual, complete hello that its origin will answer: read without a TLS machine, which costs a third of all
    /// instructions of a tunnel (callgrind).
    private func readOrdinaryHello() -> HeldClient? {
        guard opened.passthrough != nil, context.place.original == nil,
            let held = HeldClient(inbox.bytes, context.loop.clientContext), held.hello.serverName.isSound
        else { return nil }
        return held
    }

    /// A request in the clear inside a tunnel: a device would have judged its http:// URL.
    private func readCleartext(isHTTP2: Bool) -> Transition {
        var link = takeLink()
        // For HTTP/2 it is of use if loads may go there and it has carried no HTTP/1.1.
        let isUsed = link.map { $0.isSecured || isHTTP2 && ($0.hasRested || !context.passesCleartext(in: opened)) }
        if isUsed == true, let unfit = link {
            context.giveBack(unfit)
            link = nil
        }
        context.judgeAsCleartext(opened)
        return isHTTP2
            ? Multiplexer.become(context, in: opened, over: link)
            : .become(HTTP1Client(context, in: opened, over: link))
    }

    /// The client uses another protocol: ATS does not govern raw sockets.
    private func other(_ kind: FirstBytes.Kind) -> Transition {
        guard context.loop.policy.rules.otherTraffic == .relay else {
            opened.forbid(RecordedDiagnosis(.otherTraffic(kind)))
            recorder.fileTunnel(.close)
            return .close(.settled)
        }
        opened.add(RecordedDiagnosis(.otherTraffic(kind)))
        context.markOutside(opened, after: gate)
        // A link that is up for TLS is of no use.
        if let secured = link, secured.isSecured {
            context.giveBack(secured)
            link = nil
        }
        return link.map { relay(over: $0) } ?? .become(TunnelOpening(context, redialing: opened, for: nil))
    }

    private func relay(over link: OriginLink) -> Transition {
        .become(Relay(context, inTunnelOfOtherTraffic: opened, over: link))
    }

    /// The link, unless the client has already received bytes of its origin.
    private func takeLink() -> OriginLink? {
        guard let link else { return nil }
        self.link = nil
        guard hasOriginSent else { return link }
        context.drop(link)
        return nil
    }

    // MARK: The origin

    /// Passes on the bytes of a server that sends first, unless they are HTTP and that is denied. Bytes that may begin
    /// HTTP/2, which does not wait for its client either, are held until the client's protocol is known.
    func originSent(_ bytes: UnsafeRawBufferPointer, on link: OriginLink) -> Transition {
        guard link === self.link else { return .stay }
        guard !link.isSecured else {
            if !link.staysFit(after: bytes) { lose(link) }
            return .stay
        }
        link.plaintext.append(bytes)
        let mayPass = hasOriginSent || !Self.mayBeServerPreface(link.plaintext.bytes)
        let passage = hello != nil ? .pass : mayPass ? classify(link.plaintext) : .hold
        switch passage {
        case .pass: passOn(link)
        case .refuse(let content):
            context.deny(content, in: opened)
            recorder.fileTunnel(.close)
            return .close(.settled)
        case .hold: if link.plaintext.count > context.highWaterBytes { context.hold(link, .undecided) }
        }
        return .stay
    }

    /// Shows the gate the bytes that it has not seen.
    private func classify(_ held: ByteQueue) -> RelayGate.Passage {
        defer { classifiedBytes = held.count }
        return gate.passage(of: ByteView(held.bytes).slice(from: classifiedBytes))
    }

    private func passOn(_ link: OriginLink) {
        defer {
            link.plaintext.removeAll()
            classifiedBytes = 0
        }
        // Once a hello has begun, only the gate may answer it.
        guard hello == nil else { return }
        hasOriginSent = true
        client.relayed.received += Int64(link.plaintext.count)
        client.send(link.plaintext.bytes)
        if context.timer.armed != .head { context.arm(.idle) }
        context.holdBack(link, waiting: client.outbox.count)
    }

    func originEnded(_ link: OriginLink, reset: Bool) -> Transition {
        guard link === self.link else { return .stay }
        lose(link)
        guard !hasOriginSent else { return .close(.settled) }
        // The origin may have closed an idle connection; waits for the client's first bytes.
        hasOriginEnded = true
        context.arm(.head)
        return .stay
    }

    private func lose(_ link: OriginLink) {
        context.drop(link)
        self.link = nil
    }

    // MARK: Waiting and ending

    func deadlinePassed(_ deadline: Deadline) -> Transition {
        switch deadline {
        case .handshake: refuse(.unreadableHello)
        case .head, .idle, .rest, .answer, .halfClosed, .linger:
            hasOriginEnded && inbox.isEmpty
                ? .close(.origin(.left(reset: false)))
                : .close(.client(.stalled(context.loop.policy.rules.limits.duration(of: deadline))))
        }
    }

    var awaitsClient: Bool { link?.holds.contains(.clientFull) ?? false }

    /// True if the tunnel has carried nothing yet, or only the beginning of a hello.
    var onlyWaits: Bool { !hasOriginSent }

    func clientDrained() -> Transition {
        if let link { context.release(link, .clientFull) }
        return .stay
    }

    func end(_ reason: EndReason) {
        if let trouble { opened.fail(trouble) }
        if hasOriginSent { context.markOutside(opened, after: gate) }
        recorder.fileTunnel(ended: reason)
        if let link { lose(link) }
    }

    /// True if an origin's first bytes may be the preface of an HTTP/2 server: a SETTINGS frame on stream 0 that
    /// acknowledges nothing. Source: RFC 9113 sections 3.4, 4.1 and 6.5.
    private static func mayBeServerPreface(_ bytes: UnsafeRawBufferPointer) -> Bool {
        zip(bytes, serverPreface).allSatisfy { byte, wanted in wanted == nil || byte == wanted }
    }

    /// Length, of which the first byte is 0 for every frame that may come yet; type; flags; stream.
    private static let serverPreface: [UInt8?] = [0, nil, nil, 4, 0, 0, 0, 0, 0]
}
