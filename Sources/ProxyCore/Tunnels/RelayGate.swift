import ATSPolicy
import HTTPWire
import Records

/// Opens a relay of other traffic by the origin's first bytes, so that no TLS and no denied HTTP reaches the client unjudged.
///
/// The client's bytes are not examined after the first ones: an app that disguises a request as another protocol gets it
/// to the origin, but gets no answer.
struct RelayGate {
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

    private(set) var isOpen: Bool
    /// The content that passed in spite of the rules, in audit mode.
    private(set) var audited: Content?
    private var answers = AnswerWatch()

    init(isOpen: Bool = false) { self.isOpen = isOpen }

    /// Classifies the origin's bytes, which follow those of the last call.
    mutating func originSent(
        _ bytes: UnsafeRawBufferPointer, in tunnel: Tunnel, _ context: SessionContext
    ) -> Passage {
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
