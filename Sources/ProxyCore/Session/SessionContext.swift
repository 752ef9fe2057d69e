import ATSPolicy
import Bytes
import HTTPWire
import OriginHandshake
import Records
import TLSEngine

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

    /// The client of a load, with its hello compared with the rules for the load.
    func recordedClient(under ruled: TargetRuling) -> RecordedClient { recognition.client(under: ruled) }

    /// The finding about the client's hello; nil if it fits the User-Agent.
    var helloDoubt: RecordedDiagnosis? { recognition.helloDoubt }

    func recognize(_ head: RequestHead) { recognition.read(head, under: loop.policy) }

    /// Reads the hello in the client's first bytes, which may show another client or release than its User-Agent.
    func recognize(helloIn records: UnsafeRawBufferPointer) {
        guard let content = HelloContent(records: records) else { return }
        recognition.read(loop.hellos.hello(content), under: loop.policy)
    }

    var system: SystemPolicy { recognition.system(under: loop.policy) }

    func ruled(on target: LoadTarget) -> TargetRuling { recognition.ruled(on: target, in: loop) }

    /// The client and the ruling for an earlier load under the policy in force.
    func currentRuling(_ load: Load) -> (RecordedClient, TargetRuling) {
        recognition.ruled(on: load.target, ofAgent: load.client.userAgent, in: loop)
    }

    /// True if the ruling's policy is still in force.
    func isInForce(_ ruled: TargetRuling) -> Bool { ruled.system.policyVersion === loop.policy.policyVersion }

    /// True if the ruling was made for the client as it is known now.
    func isOfClient(_ ruled: TargetRuling) -> Bool { recognition.isFor(ruled) }

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

/// The sides whose reading is paused, with the reasons. Reading resumes when a side has no reason left.
struct FlowGate {
    /// Reasons not to read from the client.
    struct ClientHolds: OptionSet {
        let rawValue: UInt8
        /// The origin's outbox is full.
        static let originFull = ClientHolds(rawValue: 1)
        /// Its data has no destination yet: the origin is being dialed or judged.
        static let undecided = ClientHolds(rawValue: 2)
        /// It does not read the responses that were sent to it.
        static let unreadAnswers = ClientHolds(rawValue: 4)
    }

    /// Reasons not to read from an origin.
    struct OriginHolds: OptionSet {
        let rawValue: UInt8
        /// The client's outbox is full.
        static let clientFull = OriginHolds(rawValue: 1)
        /// The client's HTTP/2 stream accepts no more data.
        static let streamFull = OriginHolds(rawValue: 2)
        /// The data has no destination yet: the client's protocol is unknown.
        static let undecided = OriginHolds(rawValue: 4)
    }

    private(set) var client: ClientHolds = []

    /// Adds a reason. Returns true if reading must stop now.
    mutating func hold(_ reason: ClientHolds) -> Bool {
        defer { client.formUnion(reason) }
        return client.isEmpty
    }

    /// Removes reasons. Returns true if reading may resume now.
    mutating func release(_ reasons: ClientHolds) -> Bool {
        guard !client.isEmpty else { return false }
        client.subtract(reasons)
        return client.isEmpty
    }
}

extension FlowGate.ClientHolds {
    static let all: Self = [.originFull, .undecided, .unreadAnswers]
}

extension SessionContext {
    func holdClient(_ reason: FlowGate.ClientHolds) {
        if flow.hold(reason) { effect(.pauseClient) }
    }

    /// Pauses the client if too much of its data waits for a destination.
    func boundInbox() {
        if client.inbox.count > highWaterBytes { holdClient(.undecided) }
    }

    func releaseClient(_ reasons: FlowGate.ClientHolds = .all) {
        if flow.release(reasons) { effect(.resumeClient) }
    }

    func hold(_ link: OriginLink, _ reason: FlowGate.OriginHolds) {
        if link.holds.isEmpty { effect(.pauseOrigin(link)) }
        link.holds.formUnion(reason)
    }

    func release(_ link: OriginLink, _ reasons: FlowGate.OriginHolds) {
        guard !link.holds.isEmpty else { return }
        link.holds.subtract(reasons)
        if link.holds.isEmpty { effect(.resumeOrigin(link)) }
    }

    /// Pauses an origin if too much of its data waits for the client.
    func holdBack(_ link: OriginLink, waiting: Int) {
        if waiting > highWaterBytes { hold(link, .clientFull) }
    }

    /// The bytes that may wait for a slow reader before its writer is paused.
    var highWaterBytes: Int { loop.outboxes.highWater(usual: loop.policy.rules.limits.highWaterBytes) }
}

/// The session's only timer. Remembers which deadline it was armed for.
struct SessionTimer {
    private(set) var armed: Deadline?

    /// Arms the timer; returns the effect that restarts it.
    mutating func arm(_ deadline: Deadline, for duration: Duration) -> SessionEffect {
        armed = deadline
        return .arm(deadline, duration)
    }

    /// Disarms the timer; returns the effect that stops it, or nil if it does not run.
    mutating func disarm() -> SessionEffect? {
        guard armed != nil else { return nil }
        armed = nil
        return .disarm
    }

    /// Forgets the deadline without cancelling; a late firing is ignored.
    mutating func markExpired() { armed = nil }

    /// Returns true if the deadline that passed is the armed one.
    mutating func expire(_ deadline: Deadline) -> Bool {
        guard armed == deadline else { return false }
        armed = nil
        return true
    }
}

extension SessionContext {
    func arm(_ deadline: Deadline) { arm(deadline, for: loop.policy.rules.limits.duration(of: deadline)) }

    /// The deadline of a client without a load.
    ///
    /// - Parameter mayRest: true if it has links to give back.
    func waiting(mayRest: Bool) -> Deadline {
        let limits = loop.policy.rules.limits
        return mayRest && limits.rest < limits.idle ? .rest : .idle
    }

    /// Arms the timer for the part of the idle time after ``Deadline/rest``.
    func armAfterRest() {
        let limits = loop.policy.rules.limits
        arm(.idle, for: limits.idle - limits.rest)
    }

    func arm(_ deadline: Deadline, for duration: Duration) { effect(timer.arm(deadline, for: duration)) }

    func disarm() {
        if let stop = timer.disarm() { effect(stop) }
    }
}
