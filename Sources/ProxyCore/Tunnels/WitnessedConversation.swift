import ATSPolicy
import Bytes
import Records
import TLSEngine

/// Witness mode: relays a client's TLS conversation with its origin unchanged. Records whether the client accepts the
/// origin; stops inspecting once that is known.
final class WitnessedConversation: RelayingMachine {
    let context: SessionContext
    private let watched: Tunnel
    private let hello: HeldClient
    let link: OriginLink
    private var watch = ConversationWatch()
    private var originHasEnded = false

    init(_ context: SessionContext, in tunnel: Tunnel, hello: HeldClient, over link: OriginLink) {
        self.context = context
        watched = tunnel
        self.hello = hello
        self.link = link
    }

    var tunnel: Tunnel? { watched }
    private var client: ClientStream { context.client }

    func begin() -> Transition {
        context.arm(.idle)
        let early = client.takeInbox()
        context.releaseClient(link.outbox.count > context.highWaterBytes ? [.undecided, .unreadAnswers] : .all)
        context.release(link, .undecided)
        let transition = early.withUnsafeBytes { clientSent($0) }
        guard case .stay = transition else { return transition }
        let spoken = Array(link.plaintext.bytes)
        link.plaintext.removeAll()
        return spoken.withUnsafeBytes { originSent($0, on: link) }
    }

    // MARK: Relayed bytes

    func clientSent(_ bytes: UnsafeRawBufferPointer) -> Transition {
        guard !bytes.isEmpty else { return .stay }
        watch.clientSent(bytes, at: context.now.ticks)
        link.send(bytes)
        client.relayed.sent += Int64(bytes.count)
        context.arm(.idle)
        if link.outbox.count > context.highWaterBytes { context.holdClient(.originFull) }
        return startRelayIfSettled()
    }

    func originSent(_ bytes: UnsafeRawBufferPointer, on link: OriginLink) -> Transition {
        guard link === self.link, !bytes.isEmpty else { return .stay }
        if watch.originSent(bytes) { judge(watch.originObservation) }
        client.send(bytes)
        client.relayed.received += Int64(bytes.count)
        context.arm(.idle)
        context.holdBack(link, waiting: client.outbox.count)
        return startRelayIfSettled()
    }

    /// Becomes a plain relay once no more bytes need inspection.
    private func startRelayIfSettled() -> Transition {
        guard watch.isSettled, !client.hasEnded, !originHasEnded else { return .stay }
        client.witnessed = watch.outcome
        return .become(Relay(context, .tunnel(watched), over: link))
    }

    // MARK: Judging

    /// Judges the client's own handshake, if visible, because the prediction is about that one.
    private func judge(_ observation: OriginFlight.Observation) {
        let own = OwnHandshake(context: context, tunnel: watched, hello: hello)
        var isReadable = true
        func hold(_ version: TLSVersion, _ suite: UInt16, _ chain: [[UInt8]]? = nil) {
            if case .unreadable = own.judge(version, suite: suite, chain: chain) { isReadable = false }
        }
        switch observation {
        case .going: break
        case .retry(let version, let suite): hold(version, suite)
        case .sealed(let version, let suite):
            hold(version, suite)
            own.noteUnseen(.sealed)
        case .shown(let version, let suite, let chain):
            hold(version, suite, chain)
            own.noteUnseen(nil)
        case .resumed(let version, let suite):
            hold(version, suite)
            own.noteUnseen(.resumed)
        case .refused(let alert): own.noteRefusal(alert: alert)
        case .unreadable: isReadable = false
        }
        if !isReadable { _ = own.tolerates(.unreadableAnswer) }
    }

    // MARK: Ends

    /// Half-closes the link, as without a gate. A client that has not used its connection is assumed not to wait for
    /// long.
    func clientEnded() -> Transition {
        watch.clientEnded(at: context.now.ticks)
        client.hasEnded = true
        guard !originHasEnded else { return .close(.settled) }
        context.effect(.finishOriginWriting(link))
        if watch.outcome.outcome != .accepted { context.arm(.halfClosed) }
        return .stay
    }

    func clientLost() -> Transition {
        watch.clientEnded(at: context.now.ticks)
        return .close(.settled)
    }

    func originEnded(_ link: OriginLink, reset: Bool) -> Transition {
        guard link === self.link else { return .stay }
        watch.originEnded()
        if reset || client.hasEnded { return .close(.settled, reset ? .reset : .proper) }
        guard !originHasEnded else { return .stay }
        originHasEnded = true
        context.effect(.finishClientWriting)
        return .stay
    }

    func deadlinePassed(_ deadline: Deadline) -> Transition { .close(.settled) }

    /// Keeps the verdict: the end of the connection does not show anything about the origin.
    func end(_ reason: EndReason) {
        client.witnessed = watch.outcome
        LoadRecorder(context: context, tunnel: watched).fileTunnel()
        context.drop(link)
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

extension Load {
    /// The client's behavior as a request shows it: in cleartext, the request itself is acceptance.
    var witnessed: ConversationOutcome {
        target.scheme == .http
            ? ConversationOutcome(.accepted, .cleartextRequest, isCertain: true) : .unknown(.noHello)
    }
}

extension RecordedDevice {
    convenience init(_ outcome: ConversationOutcome) {
        let told: Outcome =
            switch outcome.outcome {
            case .accepted: .accepted
            case .refused: .refused
            case .unknown: .unknown
            }
        self.init(told, how: outcome.how, confidence: outcome.isCertain ? .observed : .inferred)
    }
}
