import ATSPolicy
import Bytes
import HTTPWire
import Records
import TLSEngine

/// Relays bytes unchanged between the client and one link, counts them and applies back pressure: each side is paused while
/// the other's outbox is full. On a side whose TLS ends here, the bytes are decrypted and encrypted again.
final class Relay: SessionMachine {
    /// The record that counts the bytes.
    enum Subject {
        /// A CONNECT tunnel whose content is not HTTP or TLS, or is passed through.
        case tunnel(Tunnel)
        /// A load whose origin agreed to another protocol, such as WebSocket.
        case upgrade(Load, Tunnel?)
    }

    let context: SessionContext
    private let subject: Subject
    private let link: OriginLink
    /// Inspects the bytes of a tunnel. What it holds waits in the client's inbox and in the link's plaintext.
    private var watch: (any RelayWatch)?
    /// The origin has half-closed.
    private var originHasEnded = false

    init(_ context: SessionContext, _ subject: Subject, over link: OriginLink, watchedBy watch: (any RelayWatch)? = nil)
    {
        self.context = context
        self.subject = subject
        self.link = link
        self.watch = watch
    }

    /// Relays neither TLS nor HTTP, if the origin's first bytes allow it, or if some were passed on already.
    convenience init(_ context: SessionContext, inTunnelOfOtherTraffic tunnel: Tunnel, over link: OriginLink) {
        let isOpen = context.client.relayed.received > 0
        self.init(
            context, .tunnel(tunnel), over: link, watchedBy: isOpen ? nil : RelayGate(context, in: tunnel))
    }

    var tunnel: Tunnel? {
        switch subject {
        case .tunnel(let tunnel): tunnel
        case .upgrade(_, let tunnel): tunnel
        }
    }

    private var client: ClientStream { context.client }

    func begin() -> Transition { resume() }

    /// Starts with all bytes that wait: both sides may have sent some before.
    private func resume(
        client lateFromClient: UnsafeRawBufferPointer? = nil, origin lateFromOrigin: UnsafeRawBufferPointer? = nil
    ) -> Transition {
        context.arm(deadline)
        let early = client.takeInbox() + Array(lateFromClient ?? .empty)
        let spoken = Array(link.plaintext.bytes) + Array(lateFromOrigin ?? .empty)
        link.plaintext.removeAll()
        context.releaseClient(link.outbox.count > context.highWaterBytes ? [.undecided, .unreadAnswers] : .all)
        context.release(link, .undecided)
        // The bytes of the side that caused this come first, so that its peer can react to them.
        if lateFromOrigin != nil {
            let transition = spoken.withUnsafeBytes { fromOrigin($0) }
            guard case .stay = transition else { return transition }
            return early.withUnsafeBytes { fromClient($0) }
        }
        let transition = early.withUnsafeBytes { fromClient($0) }
        guard case .stay = transition else { return transition }
        return spoken.withUnsafeBytes { fromOrigin($0) }
    }

    private var deadline: Deadline { watch?.deadline ?? .idle }

    // MARK: Bytes without TLS of ours

    private func fromClient(_ bytes: UnsafeRawBufferPointer) -> Transition {
        guard !bytes.isEmpty else { return .stay }
        switch watch?.clientSent(bytes) ?? .pass {
        case .pass: passHeldToOrigin()
        case .passAll:
            passHeldToClient()
            passHeldToOrigin()
        case .hold:
            client.receive(bytes)
            context.boundInbox()
            return .stay
        case .next(let next):
            watch = next
            return resume(client: bytes)
        case .close(let reason): return .close(reason)
        case .refuse(let hello, let failure, let diagnosis): return refuse(hello, failure, diagnosis)
        }
        passToOrigin(bytes)
        return .stay
    }

    private func fromOrigin(_ bytes: UnsafeRawBufferPointer) -> Transition {
        guard !bytes.isEmpty else { return .stay }
        switch watch?.originSent(bytes) ?? .pass {
        case .pass: passHeldToClient()
        case .passAll:
            passHeldToOrigin()
            passHeldToClient()
        case .hold:
            link.plaintext.append(bytes)
            return .stay
        case .next(let next):
            watch = next
            return resume(origin: bytes)
        case .close(let reason): return .close(reason)
        case .refuse(let hello, let failure, let diagnosis): return refuse(hello, failure, diagnosis)
        }
        passToClient(bytes)
        return .stay
    }

    private func refuse(_ hello: HeldClient, _ failure: LoadFailure, _ diagnosis: RecordedDiagnosis) -> Transition {
        guard let tunnel else { return .close(.settled) }
        context.drop(link)
        return ClientRefusal.become(context, in: tunnel, to: hello, for: failure, diagnosis)
    }

    private func passHeldToOrigin() {
        guard !client.inbox.isEmpty else { return }
        passToOrigin(client.inbox.bytes)
        client.inbox.removeAll()
        context.releaseClient(.undecided)
    }

    private func passHeldToClient() {
        guard !link.plaintext.isEmpty else { return }
        passToClient(link.plaintext.bytes)
        link.plaintext.removeAll()
        context.release(link, .undecided)
    }

    // MARK: From the client

    func clientSent(_ bytes: UnsafeRawBufferPointer) -> Transition {
        guard let tls = client.tls else { return fromClient(bytes) }
        client.receive(bytes)
        passToOrigin(client.inbox.bytes)
        client.inbox.removeAll()
        switch tls.state {
        case .closed: return clientEnded()
        case .failed: return .close(.client(.left))
        case .handshaking, .helloHeld, .established: return .stay
        }
    }

    /// Half-closes the link. Bytes that are still held are of no use to the origin without an answer.
    func clientEnded() -> Transition {
        let deadline = watch?.clientEnded()
        guard !originHasEnded else { return .close(.settled) }
        client.hasEnded = true
        client.inbox.removeAll()
        link.tls?.sendClose()
        context.effect(.finishOriginWriting(link))
        if let deadline { context.arm(deadline) }
        return .stay
    }

    func clientLost() -> Transition {
        _ = watch?.clientEnded()
        return .close(.client(.left))
    }

    func clientDrained() -> Transition {
        context.release(link, .clientFull)
        return .stay
    }

    // MARK: From the origin

    func originSent(_ bytes: UnsafeRawBufferPointer, on link: OriginLink) -> Transition {
        guard link === self.link else { return .stay }
        guard let tls = link.tls else { return fromOrigin(bytes) }
        tls.receive(bytes, plaintext: link.plaintext)
        passToClient(link.plaintext.bytes)
        link.plaintext.removeAll()
        link.plaintext.releaseIfEmpty()
        return tls.state == .established ? .stay : originEnded(link, reset: tls.state != .closed)
    }

    func originEnded(_ link: OriginLink, reset: Bool) -> Transition {
        guard link === self.link else { return .stay }
        if watch?.originEnded(reset: reset) == true { return .close(.settled) }
        if reset || client.hasEnded {
            // A reset discards what the client has not read yet, so it is repeated only if nothing waits.
            let isRepeated = reset && isOpaque && client.outbox.isEmpty
            return .close(.origin(.left(reset: reset)), isRepeated ? .reset : .proper)
        }
        guard !originHasEnded else { return .stay }
        originHasEnded = true
        // Held bytes that are too few to be classified are neither TLS nor an HTTP answer.
        if link.tls == nil { passHeldToClient() }
        client.tls?.sendClose()
        context.effect(.finishClientWriting)
        return .stay
    }

    func originDrained(_ link: OriginLink) -> Transition {
        if link === self.link { context.releaseClient(.originFull) }
        return .stay
    }

    // MARK: Flow

    private func passToOrigin(_ bytes: UnsafeRawBufferPointer) {
        guard !bytes.isEmpty else { return }
        link.send(bytes)
        clientPassed(bytes.count, waiting: link.outbox.count)
    }

    private func passToClient(_ bytes: UnsafeRawBufferPointer) {
        guard !bytes.isEmpty else { return }
        client.send(bytes)
        originPassed(link, bytes.count, waiting: client.outbox.count)
    }

    func clientPassed(_ count: Int, waiting: Int) {
        self.count(sent: count)
        context.arm(deadline)
        if waiting > context.highWaterBytes { context.holdClient(.originFull) }
    }

    func originPassed(_ link: OriginLink, _ count: Int, waiting: Int) {
        guard link === self.link else { return }
        self.count(received: count)
        context.arm(deadline)
        context.holdBack(link, waiting: waiting)
    }

    private func count(sent: Int = 0, received: Int = 0) {
        switch subject {
        case .tunnel:
            client.relayed.sent += Int64(sent)
            client.relayed.received += Int64(received)
        case .upgrade(let load, _):
            load.bytesSent += Int64(sent)
            load.bytesReceived += Int64(received)
        }
    }

    var awaitsClient: Bool { link.holds.contains(.clientFull) }
    var awaitedLink: OriginLink? { context.flow.client.contains(.originFull) ? link : nil }

    var clientSplice: OriginLink? { isOpaque && watch?.readsClient != true ? link : nil }

    func originSpliceLimit(of link: OriginLink) -> Int? {
        link === self.link && isOpaque && watch == nil ? .max : nil
    }

    /// True if no TLS ends here. The kernel may then splice bytes that no watch inspects.
    private var isOpaque: Bool { client.tls == nil && link.tls == nil }

    // MARK: Its end

    func deadlinePassed(_ deadline: Deadline) -> Transition {
        switch deadline {
        case .idle, .rest, .head, .handshake, .answer, .halfClosed, .linger:
            watch?.deadlinePassed()
            return .close(.settled)
        }
    }

    func end(_ reason: EndReason) {
        watch?.ended()
        let recorder = LoadRecorder(context: context, tunnel: tunnel)
        if case .upgrade(let load, _) = subject { recorder.file(load, load.passVerdict, on: link) }
        recorder.fileTunnel()
        context.drop(link)
    }
}

extension UnsafeRawBufferPointer {
    fileprivate static var empty: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: nil, count: 0) }
}

/// Inspects the bytes of a relay before they are passed on. A relay has at most one watch.
protocol RelayWatch: AnyObject {
    /// The deadline while it watches.
    var deadline: Deadline { get }
    /// False if it ignores the client's bytes.
    var readsClient: Bool { get }

    func clientSent(_ bytes: UnsafeRawBufferPointer) -> RelayDecision
    func originSent(_ bytes: UnsafeRawBufferPointer) -> RelayDecision
    /// Notes the end of the client's side. Returns the deadline from now on; nil for no change.
    func clientEnded() -> Deadline?
    /// Notes the end of the origin's side. Returns true if nothing else can be relayed.
    func originEnded(reset: Bool) -> Bool
    func deadlinePassed()
    /// The relay ends while it is watched.
    func ended()
}

/// The watch's decision on bytes of one side.
enum RelayDecision {
    /// Passes them on, after those of the same side that were held.
    case pass
    /// Passes them on, after everything that was held of both sides.
    case passAll
    /// Holds them.
    case hold
    /// Passes on everything that was held; the next watch, if any, inspects these bytes as well.
    case next((any RelayWatch)?)
    /// Passes nothing on, and ends the session.
    case close(EndReason)
    /// Passes nothing on, and refuses the client's handshake. Only before the client received anything from its origin.
    case refuse(HeldClient, LoadFailure, RecordedDiagnosis)
}

extension RelayWatch {
    var deadline: Deadline { .idle }
    var readsClient: Bool { true }

    func clientSent(_ bytes: UnsafeRawBufferPointer) -> RelayDecision { .pass }
    func clientEnded() -> Deadline? { nil }
    func originEnded(reset: Bool) -> Bool { false }
    func deadlinePassed() {}
    func ended() {}
}

/// Ends a passed-through conversation of TLS up to 1.2 at a second handshake, which was not judged.
final class RenegotiationWatch: RelayWatch {
    private let context: SessionContext
    private let tunnel: Tunnel
    private var records: SecondHandshakeWatch

    /// - Parameter isRefused: true if the origin ends the handshake with an alert.
    init(_ context: SessionContext, in tunnel: Tunnel, isRefused: Bool) {
        self.context = context
        self.tunnel = tunnel
        records = SecondHandshakeWatch(isRefused: isRefused)
    }

    func clientSent(_ bytes: UnsafeRawBufferPointer) -> RelayDecision {
        decide(records.clientSays(bytes), isClient: true)
    }

    func originSent(_ bytes: UnsafeRawBufferPointer) -> RelayDecision {
        decide(records.originSays(bytes), isClient: false)
    }

    /// In audit mode an unjudged handshake is recorded, and no longer watched.
    private func decide(_ stop: SecondHandshakeWatch.Stop?, isClient: Bool) -> RelayDecision {
        guard let stop else { return .pass }
        return context.tolerates(.stopped(stop, isClient: isClient), in: tunnel) ? .next(nil) : .close(.settled)
    }
}

/// Opens a relay of other traffic by the origin's first bytes, so that no TLS and no denied HTTP reaches the client unjudged.
///
/// The client's bytes are not examined after the first ones: an app that disguises a request as another protocol gets it
/// to the origin, but gets no answer.
final class RelayGate: RelayWatch {
    enum Passage {
        case pass
        /// The origin's bytes are still too few to decide.
        case hold
        /// The bytes must not reach the client.
        case refuse(Content)
    }

    /// The origin's content that ATS would have ruled on.
    enum Content {
        case cleartext
        case handshake
    }

    private let context: SessionContext
    private let tunnel: Tunnel
    private var isOpen = false
    /// The content that passed in spite of the rules, in audit mode.
    private(set) var audited: Content?
    private var answers = AnswerWatch()

    init(_ context: SessionContext, in tunnel: Tunnel) {
        self.context = context
        self.tunnel = tunnel
    }

    /// Classifies the origin's bytes, which follow those of the last call.
    func passage(of bytes: UnsafeRawBufferPointer) -> Passage {
        guard !isOpen else { return .pass }
        let content: Content
        switch answers.look(at: bytes) {
        case .undecided: return .hold
        case .tls: content = .handshake
        case .http where !context.ruledOnCleartext(of: tunnel).isPermit: content = .cleartext
        case .http, .other:
            isOpen = true
            return .pass
        }
        guard context.loop.policy.rules.mode != .enforce else { return .refuse(content) }
        isOpen = true
        audited = content
        return .pass
    }

    var readsClient: Bool { false }

    func originSent(_ bytes: UnsafeRawBufferPointer) -> RelayDecision {
        switch passage(of: bytes) {
        case .pass:
            if let audited { context.deny(audited, in: tunnel) }
            return .next(nil)
        case .hold: return .hold
        case .refuse(let content):
            context.deny(content, in: tunnel)
            LoadRecorder(context: context, tunnel: tunnel).fileTunnel(.close)
            return .close(.settled)
        }
    }
}

extension SessionContext {
    /// The ruling on cleartext HTTP to a tunnel's target.
    func ruledOnCleartext(of tunnel: Tunnel) -> TargetRuling {
        ruled(on: LoadTarget(scheme: .http, host: tunnel.target.host, port: tunnel.target.port))
    }

    /// True if cleartext HTTP may continue in a tunnel, as it always may outside enforce mode.
    func passesCleartext(in tunnel: Tunnel) -> Bool {
        loop.policy.rules.mode != .enforce || ruledOnCleartext(of: tunnel).isPermit
    }
}
