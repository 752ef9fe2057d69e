import ATSPolicy
import Bytes
import HTTPWire
import OriginHandshake
import Records
import Text

/// What all machines of one session share: the client, the clock, the timer, the orders to ProxyServer, and the
/// law as it applies to this client.
final class SessionContext {
    let loop: LoopContext
    let client: ClientStream
    var now: Timestamp
    /// The gate takes no new loads.
    var isDraining = false
    // Unchecked, because nothing comes back to them during an access: to judge a load asks the loop's memory of
    // rulings, not the session. Checked, these and the lists of ProxyServer were 6 checks of 17 a load, 85 instructions each
    // (callgrind, release build).
    @exclusivity(unchecked) var timer = SessionTimer()
    @exclusivity(unchecked) var flow = FlowGate()
    var addresses = NamedAddresses()
    @exclusivity(unchecked) private var recognition: ClientRecognition
    @exclusivity(unchecked) private var effects: [SessionEffect] = []

    init(loop: LoopContext, place: ClientPlace, outbox: ByteQueue, at moment: Timestamp) {
        self.loop = loop
        client = ClientStream(outbox: outbox, scratch: loop.scratch)
        recognition = ClientRecognition(place, under: loop.policy)
        now = moment
    }

    func effect(_ effect: SessionEffect) { effects.append(effect) }

    var hasEffects: Bool { !effects.isEmpty }

    /// Exchanges what is wanted so far for `list`, which must be empty and lends its storage.
    func exchangeEffects(_ list: inout [SessionEffect]) { swap(&effects, &list) }

    // MARK: Who asks, and what the law says

    var place: ClientPlace { recognition.place }

    /// Who sent the last head.
    var recordedClient: RecordedClient { recognition.client }

    func recognize(_ head: RequestHead) { recognition.read(head, under: loop.policy) }

    var system: SystemPolicy { recognition.system(under: loop.policy) }

    func ruled(on target: LoadTarget) -> TargetRuling { recognition.ruled(on: target, in: loop) }

    /// What the law in force says of a load that was ruled before, and who asks for it by that law.
    func ruledAnew(_ load: Load) -> (RecordedClient, TargetRuling) {
        recognition.ruled(on: load.target, ofAgent: load.client.userAgent, in: loop)
    }

    /// Whether no other law has come into force since.
    func isInForce(_ ruled: TargetRuling) -> Bool { ruled.system.edition === loop.policy.edition }

    /// What the app's own code has to say of certificates: nothing where it is not the app that asks.
    func appTrust(under ruled: TargetRuling) -> AppTrust { ruled.isOutside ? .systemOnly : loop.policy.rules.appTrust }

    /// Who is asked whether it pins.
    func pinningClient(_ agent: String?) -> PinningWatch.Client { PinningWatch.Client(place, agent: agent) }

    /// Why a host is not decrypted for this client; nil where it is.
    func passthrough(of host: String, _ listing: HostListing) -> Passthrough? {
        if loop.policy.rules.mode == .witness { return .witnessed }
        if listing.isPassed || !place.isLoopback && listing.isPassedForDevices { return .asked }
        return loop.pinning.passes(host, pinningClient(recordedClient.userAgent), at: now.ticks) ? .pinned : nil
    }

    /// What a verdict means to the app.
    func diagnosis(
        _ verdict: HandshakeVerdict, of ruled: TargetRuling, path: String, facts: HandshakeFacts? = nil
    ) -> RecordedDiagnosis {
        RecordedDiagnosis(
            verdict, target: ruled.target, path: path, facts: facts, judge: ruled.system.judge,
            identifiers: loop.identifiers)
    }

    func diagnosis(_ failure: NetworkFailure, of ruled: TargetRuling, path: String) -> RecordedDiagnosis {
        diagnosis(RuleBook.standard.judge(failure, target: ruled.target), of: ruled, path: path)
    }

    // MARK: Links

    /// Keeps a link for other loads if it is fit for them.
    func giveBack(_ link: OriginLink) {
        let isReady = link.ruled.map { link.isUp && isInForce($0) } ?? (link.key.offer == nil)
        link.hasRested = true
        if isReady, link.mayKeep, !link.isPrivate, link.holds.isEmpty, link.isQuiet {
            effect(.keepOrigin(link))
        } else {
            effect(.closeOrigin(link))
        }
    }

    func drop(_ link: OriginLink) { effect(.closeOrigin(link)) }

    // MARK: Redirects

    /// The URL of the load that redirected this client to `target` a moment ago.
    ///
    /// - Parameter path: nil for a tunnel that shows none.
    func origin(ofRedirectTo target: LoadTarget, path: String?, at ticks: Int64) -> String? {
        guard loop.redirects.isFresh(at: ticks) else { return nil }
        return loop.redirects.source(of: target, path: path, client: place.host, ticks: ticks)
    }
}
