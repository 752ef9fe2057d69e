import ATSPolicy
import Bytes
import HTTPWire
import OriginHandshake
import Records
import Text

/// Shared by all machines of one session: the client, the clock, the timer, the effects for ProxyServer, and the rules
/// for this client.
final class SessionContext {
    let loop: LoopContext
    let client: ClientStream
    var now: Timestamp
    /// True if the gate accepts no new loads.
    var isDraining = false
    // Unchecked, because no access to them is nested: judging a load uses the loop's ruling memory, not the session.
    // Checked, these and the lists of ProxyServer were 6 of 17 checks per load, 85 instructions each (callgrind,
    // release build).
    @exclusivity(unchecked) var timer = SessionTimer()
    @exclusivity(unchecked) var flow = FlowGate()
    @exclusivity(unchecked) private var recognition: ClientRecognition
    @exclusivity(unchecked) private var effects: [SessionEffect] = []

    init(loop: LoopContext, place: ClientSource, outbox: ByteQueue, at moment: Timestamp) {
        self.loop = loop
        client = ClientStream(outbox: outbox, scratch: loop.scratch)
        recognition = ClientRecognition(place, under: loop.policy)
        now = moment
    }

    func effect(_ effect: SessionEffect) { effects.append(effect) }

    var hasEffects: Bool { !effects.isEmpty }

    /// Exchanges the collected effects for `list`, which must be empty and provides its storage.
    func exchangeEffects(_ list: inout [SessionEffect]) { swap(&effects, &list) }

    // MARK: The client and its rulings

    var place: ClientSource { recognition.place }

    /// The client that sent the latest head.
    var recordedClient: RecordedClient { recognition.client }

    func recognize(_ head: RequestHead) { recognition.read(head, under: loop.policy) }

    var system: SystemPolicy { recognition.system(under: loop.policy) }

    func ruled(on target: LoadTarget) -> TargetRuling { recognition.ruled(on: target, in: loop) }

    /// The client and the ruling for an earlier load under the policy in force.
    func currentRuling(_ load: Load) -> (RecordedClient, TargetRuling) {
        recognition.ruled(on: load.target, ofAgent: load.client.userAgent, in: loop)
    }

    /// True if the ruling's policy is still in force.
    func isInForce(_ ruled: TargetRuling) -> Bool { ruled.system.policyVersion === loop.policy.policyVersion }

    /// The app's own trust decisions, which do not apply to clients other than the app.
    func appTrust(under ruled: TargetRuling) -> AppTrust { ruled.isOutside ? .systemOnly : loop.policy.rules.appTrust }

    /// The client to look up in the pinning watch.
    func pinningClient(_ agent: String?) -> PinningWatch.Client { PinningWatch.Client(place, agent: agent) }

    /// The reason why a host is not decrypted for this client; nil if it is.
    func passthrough(of host: String, _ listing: HostListing) -> Passthrough? {
        if loop.policy.rules.mode == .witness { return .witnessed }
        if listing.isPassed || !place.isLoopback && listing.isPassedForDevices { return .asked }
        return loop.pinning.passes(host, pinningClient(recordedClient.userAgent), at: now.ticks) ? .pinned : nil
    }

    /// The verdict as the app would see it.
    func diagnosis(
        _ verdict: HandshakeVerdict, of ruled: TargetRuling, path: String, facts: HandshakeFacts? = nil
    ) -> RecordedDiagnosis {
        RecordedDiagnosis(
            verdict, target: ruled.target, path: path, facts: facts, judge: ruled.system.judge,
            identifiers: loop.identifiers)
    }

    func diagnosis(of met: MetOrigin, under ruled: TargetRuling, path: String) -> RecordedDiagnosis {
        diagnosis(met.verdict, of: ruled, path: path, facts: met.facts)
    }

    func diagnosis(_ failure: NetworkFailure, of ruled: TargetRuling, path: String) -> RecordedDiagnosis {
        diagnosis(RuleBook.standard.judge(failure, target: ruled.target), of: ruled, path: path)
    }

    // MARK: Links

    /// Returns a link to the pool if other loads may use it; otherwise closes it.
    func giveBack(_ link: OriginLink) {
        let isReady = link.ruled.map { link.isUp && isInForce($0) } ?? (link.key.offer == nil)
        link.hasRested = true
        if isReady, link.isReusable, !link.isPrivate, link.holds.isEmpty, link.isQuiet {
            effect(.keepOrigin(link))
        } else {
            effect(.closeOrigin(link))
        }
    }

    func drop(_ link: OriginLink) { effect(.closeOrigin(link)) }

    // MARK: Redirects

    /// The URL of the load that redirected this client to `target` a moment ago.
    ///
    /// - Parameter path: nil for a tunnel, whose path is unknown.
    func origin(ofRedirectTo target: LoadTarget, path: String?, at ticks: Int64) -> String? {
        guard loop.redirects.isFresh(at: ticks) else { return nil }
        return loop.redirects.source(of: target, path: path, client: place.host, ticks: ticks)
    }
}
