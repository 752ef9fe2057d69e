import ATSPolicy
import HTTPWire
import Records
import TLSEngine

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
        let mayContinue = OwnHandshake.tolerates(.stopped(stop, isClient: isClient), in: tunnel, context)
        return mayContinue ? .next(nil) : .close(.settled)
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
