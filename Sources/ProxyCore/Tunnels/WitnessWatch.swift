import ATSPolicy
import Records
import TLSEngine

/// Witness mode: records whether the client accepts its origin, and holds nothing. Stops inspecting once that is known.
final class WitnessWatch: RelayWatch {
    private let own: OwnHandshake
    private var conversation = ConversationWatch()
    private var hasOriginEnded = false

    init(_ own: OwnHandshake) {
        self.own = own
    }

    private var context: SessionContext { own.context }

    func clientSent(_ bytes: UnsafeRawBufferPointer) -> RelayDecision {
        conversation.clientSent(bytes, at: context.now.ticks)
        return passOn()
    }

    func originSent(_ bytes: UnsafeRawBufferPointer) -> RelayDecision {
        if conversation.originSent(bytes) { judge(conversation.originObservation) }
        return passOn()
    }

    private func passOn() -> RelayDecision {
        guard conversation.isSettled, !context.client.hasEnded, !hasOriginEnded else { return .pass }
        ended()
        return .next(nil)
    }

    /// Judges the client's own handshake, if visible, because the prediction is about that one.
    private func judge(_ observation: OriginFlight.Observation) {
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

    /// A client that has not used its connection is assumed not to wait for long.
    func clientEnded() -> Deadline? {
        conversation.clientEnded(at: context.now.ticks)
        return conversation.outcome.outcome == .accepted ? nil : .halfClosed
    }

    func originEnded(reset: Bool) -> Bool {
        conversation.originEnded()
        hasOriginEnded = true
        return false
    }

    /// The end of the connection does not show anything about the origin.
    func ended() { context.client.witnessed = conversation.outcome }
}
