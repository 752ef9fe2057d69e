import ATSPolicy
import Bytes
import OriginHandshake
import Records
import TLSEngine

/// Judges a client's own handshake with its origin by the facts that were visible in passing. Witness mode only records
/// the result.
struct OwnHandshake {
    enum Judgement {
        /// The client may continue: the handshake passed, or the failure is only recorded.
        case passed
        case refused(LoadFailure, RecordedDiagnosis)
        /// One of its certificates cannot be read.
        case unreadable
    }

    let context: SessionContext
    let tunnel: Tunnel
    /// The client's hello.
    let hello: HeldClient

    /// Judges the handshake, and adds a finding to the record if it differs from the gate's own.
    ///
    /// - Parameter chain: in DER, leaf first; nil if it was not visible.
    func judge(_ version: TLSVersion, suite: UInt16, chain: [[UInt8]]?) -> Judgement {
        let known = tunnel.met?.facts
        // Missing facts are taken from the gate's handshake; without it there is nothing to judge.
        guard known != nil || chain != nil else { return .passed }
        let isJudged = context.isInForce(tunnel.ruled)
        context.renew(tunnel)
        let suite = hello.suite(suite)
        var facts =
            known?.seen(version, suite)
            ?? HandshakeFacts(
                version: version, suite: suite, group: nil, alpn: nil, served: [], path: [], anchor: .broken)
        if let chain, !context.loop.policy.trust.put(chain, into: &facts, for: [tunnel.target.host]) {
            return .unreadable
        }
        let isSame =
            known?.version == facts.version && known?.suite == facts.suite
            && known?.hasServed(facts.served) == true
        if isSame, isJudged { return .passed }
        return judge(facts, isSame: isSame)
    }

    private func judge(_ facts: HandshakeFacts, isSame: Bool) -> Judgement {
        let question = context.question(by: tunnel.ruled)
        let verdict = question.verdict(on: facts, now: context.now.unixSeconds)
        let met = MetOrigin(
            RecordedOrigin(address: tunnel.met?.recorded.address, facts: facts, offer: question.offer), verdict,
            failure: verdict.failure)
        let lifted = verdict.failure == nil ? tunnel.diagnosis?.findings.first : nil
        if !isSame, tunnel.met?.facts != nil || lifted != nil {
            tunnel.add(RecordedDiagnosis(.ownHandshake(facts, judged: tunnel.met?.facts, lifting: lifted)))
        }
        guard let failure = verdict.failure else {
            tunnel.cleared(by: met)
            return .passed
        }
        let diagnosis = context.diagnosis(of: met, under: tunnel.ruled, path: "/")
        tunnel.judged(met, diagnosis: diagnosis)
        guard context.refusesHandshakes(in: tunnel), !tunnel.ruled.isOutside else { return .passed }
        tunnel.refuse(failure, diagnosis)
        return .refused(failure, diagnosis)
    }

    /// Notes that the handshake ended before it showed anything.
    func ended(by diagnosis: RecordedDiagnosis) { tunnel.fail(diagnosis) }

    /// Notes the parts of the handshake that were hidden.
    func noteUnseen(_ hidden: Finding.UnseenReason?) {
        let isEncrypted = hello.hello.isEncrypted
        guard hidden != nil || isEncrypted else { return }
        tunnel.add(RecordedDiagnosis(.unseen(hidden, in: tunnel.target.host, isHelloEncrypted: isEncrypted)))
    }
}

/// Reads the client's own handshake with a passthrough host that has passed the gate's own. Its cleartext part is judged by
/// the same rules before the client receives any of it.
final class OwnHandshakeWatch: RelayWatch {
    private let own: OwnHandshake
    private var flight = OriginFlight()
    /// Set between a HelloRetryRequest and the client's second hello.
    private var second: SecondHello?
    /// The client has received data from the origin, so no other answer can be sent instead.
    private var isBegun = false

    init(_ own: OwnHandshake) {
        self.own = own
    }

    private var context: SessionContext { own.context }
    private var client: ClientStream { context.client }

    var deadline: Deadline { .handshake }

    /// Holds the client's bytes until the origin has shown its handshake: they may contain another hello.
    func clientSent(_ bytes: UnsafeRawBufferPointer) -> RelayDecision {
        second == nil ? .hold : readSecondHello(bytes)
    }

    private func readSecondHello(_ bytes: UnsafeRawBufferPointer) -> RelayDecision {
        switch second?.read(bytes) {
        case .going?, nil: return .hold
        case .name(let name)? where name == own.hello.hello.serverName:
            second = nil
            return .pass
        case .name?, .unreadable?: return fail(.changedHello)
        // After the client's alert, no more of its bytes are read, and none may pass.
        case .refused?: return .close(.client(.left))
        }
    }

    func originSent(_ bytes: UnsafeRawBufferPointer) -> RelayDecision {
        let observation = flight.read(bytes)
        guard second == nil else { return observation == .going ? .hold : fail(.unreadableAnswer) }
        switch observation {
        case .going: return .hold
        case .retry(let version, let suite): return judge(version, suite) ?? retry()
        case .sealed(let version, let suite): return judge(version, suite) ?? settle(hidden: .sealed)
        case .shown(let version, let suite, let chain): return judge(version, suite, chain) ?? settle(hidden: nil)
        case .resumed(let version, let suite): return judge(version, suite) ?? settle(hidden: .resumed)
        case .refused(let alert):
            own.ended(by: RecordedDiagnosis(.refusedHello(alert: alert)))
            return .next(RenegotiationWatch(context, in: own.tunnel, isRefused: true))
        case .unreadable: return fail(.unreadableAnswer)
        }
    }

    /// Passes the HelloRetryRequest on. The held bytes of the client may contain its answer already.
    private func retry() -> RelayDecision {
        // More of the origin may have come in the same read.
        guard flight.read(UnsafeRawBufferPointer(start: nil, count: 0)) == .going else {
            return fail(.unreadableAnswer)
        }
        isBegun = true
        second = SecondHello()
        let held = Array(client.inbox.bytes)
        switch held.withUnsafeBytes({ readSecondHello($0) }) {
        case .hold: return .pass
        case .pass: return .passAll
        case let decision: return decision
        }
    }

    /// Continues after the last visible part of the handshake. TLS 1.3 has no second handshake.
    private func settle(hidden: Finding.UnseenReason?) -> RelayDecision {
        own.noteUnseen(hidden)
        return .next(hidden == .sealed ? nil : RenegotiationWatch(context, in: own.tunnel, isRefused: false))
    }

    /// Judges the facts seen so far. nil if the client may continue.
    private func judge(_ version: TLSVersion, _ suite: UInt16, _ chain: [[UInt8]]? = nil) -> RelayDecision? {
        switch own.judge(version, suite: suite, chain: chain) {
        case .passed: return nil
        case .unreadable: return fail(.unreadableAnswer)
        case .refused(let failure, let diagnosis):
            guard !isBegun else {
                LoadRecorder(context: context, tunnel: own.tunnel).fileTunnel(.close)
                return .close(.settled)
            }
            return .refuse(own.hello, failure, diagnosis)
        }
    }

    /// Handles data that cannot be read, and so not judged: closes, or continues in audit mode.
    private func fail(_ finding: Finding) -> RelayDecision {
        context.tolerates(finding, in: own.tunnel) ? .next(nil) : .close(.settled)
    }

    func originEnded(reset: Bool) -> Bool {
        if !client.hasEnded { own.ended(by: context.lost(own.tunnel, reset: reset)) }
        return true
    }

    func deadlinePassed() { own.ended(by: RecordedDiagnosis(.unansweredHello)) }
}

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
        func judgeVisible(_ version: TLSVersion, _ suite: UInt16, _ chain: [[UInt8]]? = nil) {
            if case .unreadable = own.judge(version, suite: suite, chain: chain) { isReadable = false }
        }
        switch observation {
        case .going: break
        case .retry(let version, let suite): judgeVisible(version, suite)
        case .sealed(let version, let suite):
            judgeVisible(version, suite)
            own.noteUnseen(.sealed)
        case .shown(let version, let suite, let chain):
            judgeVisible(version, suite, chain)
            own.noteUnseen(nil)
        case .resumed(let version, let suite):
            judgeVisible(version, suite)
            own.noteUnseen(.resumed)
        case .refused(let alert): own.tunnel.add(RecordedDiagnosis(.refusedHello(alert: alert)))
        case .unreadable: isReadable = false
        }
        if !isReadable { _ = context.tolerates(.unreadableAnswer, in: own.tunnel) }
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
