import ATSPolicy
import HTTPWire
import Records

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

    /// Whether cleartext HTTP may continue in a tunnel: outside enforce mode it always may.
    func passesCleartext(in tunnel: Tunnel) -> Bool {
        loop.policy.rules.mode != .enforce || ruledOnCleartext(of: tunnel).isPermit
    }
}
