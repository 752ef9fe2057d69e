import ATSPolicy
import HTTPWire
import Records
public import Reporting
import Synchronization

/// Liveness, readiness and metrics of a gate, for monitoring.
public final class GateMonitor: Sendable {
    /// Access to the running gate. The code that runs the gate provides it, so that ControlPlane need not import the
    /// gate.
    public struct Probes: Sendable {
        /// Checks all event loops; blocks for the given time at most.
        public var pulse: @Sendable (Duration) -> Pulse
        public var archive: @Sendable () -> ArchiveFigures
        /// The expiry of the local CA, in seconds since 1970-01-01 UTC.
        public var authorityEnd: Int64
        /// The state of shipping to the shared store; nil if there is none, or its state cannot be read.
        public var spool: @Sendable () -> SpoolStatus?

        public init(
            pulse: @escaping @Sendable (Duration) -> Pulse, archive: @escaping @Sendable () -> ArchiveFigures,
            authorityEnd: Int64, spool: @escaping @Sendable () -> SpoolStatus? = { nil }
        ) {
            self.pulse = pulse
            self.archive = archive
            self.authorityEnd = authorityEnd
            self.spool = spool
        }
    }

    /// The answers of the gate's loops.
    public struct Pulse: Sendable, Hashable {
        /// The number of loops that did not answer in time.
        public var silentLoops: Int
        public var openConnections: Int

        public init(silentLoops: Int, openConnections: Int) {
            self.silentLoops = silentLoops
            self.openConnections = openConnections
        }
    }

    /// Counts of dictionary reloads.
    struct Reloads: Sendable {
        var inForce = 0
        var refused = 0
        var isLastInForce = true
    }

    private enum Stage {
        case starting
        case serving(Probes)
        case draining(Probes)

        var signs: Probes? {
            switch self {
            case .starting: nil
            case .serving(let signs), .draining(let signs): signs
            }
        }
    }

    /// Counts loads; must be added to the archive's sinks.
    public let loads = LoadMeter()
    let version: String
    let process = ProcessFigures()
    private let stage = Mutex(Stage.starting)
    private let policies = Mutex(Reloads())

    public init(version: String) {
        self.version = version
    }

    /// Notes that the gate serves: its dictionary is read and its addresses are bound.
    public func begin(_ signs: Probes) { stage.withLock { $0 = .serving(signs) } }

    /// Notes that the gate accepts no more clients.
    public func drain() {
        stage.withLock { stage in
            if let signs = stage.signs { stage = .draining(signs) }
        }
    }

    /// - Parameter isInForce: whether the new dictionary came into force.
    public func noteReload(isInForce: Bool) {
        policies.withLock { policies in
            if isInForce { policies.inForce += 1 } else { policies.refused += 1 }
            policies.isLastInForce = isInForce
        }
    }

    /// The reason why the gate counts as dead, as a sentence; nil if all loops answer. Blocks for ``timeout`` at most.
    public var trouble: String? { Self.trouble(of: pulse) }

    private static func trouble(of pulse: Pulse?) -> String? {
        guard let silent = pulse?.silentLoops, silent > 0 else { return nil }
        return "\(silent) of the gate's loops did not answer within \(timeout.components.seconds) s"
    }

    /// The reasons why the gate should receive no loads, as sentences; empty if it is ready.
    func obstacles(_ pulse: Pulse?) -> [String] {
        let stage = stage.withLock { $0 }
        var sentences: [String] = []
        switch stage {
        case .starting: sentences.append("the gate is starting: its dictionary is not read or its addresses not bound")
        case .serving: break
        case .draining: sentences.append("the gate is shutting down: it accepts no new clients")
        }
        if stage.signs?.archive().isFull == true {
            sentences.append("the archive is full: new loads wait until records are written")
        }
        return sentences + [Self.trouble(of: pulse)].compactMap(\.self)
    }

    var signs: Probes? { stage.withLock { $0.signs } }
    /// nil before the gate serves. Blocks for ``timeout`` at most.
    var pulse: Pulse? { signs?.pulse(Self.timeout) }
    var reloads: Reloads { policies.withLock { $0 } }

    /// The time that a loop may take to answer.
    public static let timeout = Duration.seconds(2)

    /// All metrics. Blocks for ``timeout`` at most.
    ///
    /// A label is never a host, an address, a URL, a path or the name of a recording. So readers of metrics do not
    /// learn what is loaded, and there are never more series than verdicts times rules.
    var metrics: Metrics {
        var metrics = Metrics()
        addLoads(to: &metrics)
        let pulse = pulse
        metrics.add(
            .gauge, "atsgate_ready", "1 if the gate accepts loads, as in /readyz.",
            obstacles(pulse).isEmpty ? 1 : 0)
        if let signs, let pulse { add(signs, pulse, to: &metrics) }
        let reloads = reloads
        metrics.add(
            .counter, "atsgate_policy_reloads_total", "Dictionaries that came into force while the gate runs.",
            reloads.inForce)
        metrics.add(
            .counter, "atsgate_policy_reload_failures_total",
            "Dictionaries that could not be read; the old one stayed in force.", reloads.refused)
        metrics.add(
            .gauge, "atsgate_policy_last_reload_successful", "1, or 0 if the last dictionary could not be read.",
            reloads.isLastInForce ? 1 : 0)
        metrics.addHeldBytes()
        metrics.add(.gauge, "atsgate_build_info", "The version of atsgate.", [(["version": version], 1)])
        process.add(to: &metrics)
        return metrics
    }

    private func addLoads(to metrics: inout Metrics) {
        let counts = loads.figures
        var byKind = counts.loads
        // Zero from the start, so that a rate can be computed from the first load on.
        for verdict in Verdict.allCases { byKind[LoadCounts.Key(verdict: verdict, rule: nil), default: 0] += 0 }
        let samples = byKind.map { (verdict: $0.verdict.rawValue, rule: $0.rule?.rawValue ?? "none", loads: $1) }
            .sorted { ($0.verdict, $0.rule) < ($1.verdict, $1.rule) }
        metrics.add(
            .counter, "atsgate_loads_total", "Loads that have ended, by verdict and deciding rule.",
            samples.map { (["verdict": $0.verdict, "rule": $0.rule], $0.loads) })
        metrics.add(
            "atsgate_load_seconds", "Duration of loads, from the first byte of the request to the end.",
            counts.times)
        metrics.add(
            .counter, "atsgate_handshake_failures_total",
            "Loads whose TLS handshake with the server failed or was rejected, by deciding rule.",
            counts.failedHandshakes.map { (rule: $0.rawValue, loads: $1) }.sorted { $0.rule < $1.rule }
                .map { (["rule": $0.rule], $0.loads) })
    }

    private func add(_ signs: Probes, _ pulse: Pulse, to metrics: inout Metrics) {
        let archive = signs.archive()
        metrics.add(
            .gauge, "atsgate_open_connections", "Client connections, on the loops that answered.",
            pulse.openConnections)
        metrics.add(
            .gauge, "atsgate_silent_loops", "Loops that did not answer within \(Self.timeout.components.seconds) s.",
            pulse.silentLoops)
        metrics.add(
            .gauge, "atsgate_archive_waiting_rows", "Records that are not in every sink yet.", archive.waitingRows)
        metrics.add(
            .gauge, "atsgate_archive_waiting_bytes", "Approximate memory of these records.", archive.waitingBytes)
        metrics.add(
            .gauge, "atsgate_archive_full", "1 if new loads wait until records are written.", archive.isFull ? 1 : 0)
        metrics.add(
            .counter, "atsgate_records_lost_total", "Records that a sink dropped.",
            SinkKind.allCases.map { (["sink": $0.rawValue], archive.lost[$0] ?? 0) })
        metrics.add(
            .gauge, "atsgate_ca_expiry_timestamp_seconds", "Expiry of the local CA, since 1970-01-01 UTC.",
            Int(signs.authorityEnd))
        signs.spool()?.add(to: &metrics)
    }
}

/// The state of a gate's shipping to a shared store.
public struct SpoolStatus: Sendable, Hashable {
    /// Loads that are not shipped yet.
    public var waiting = 0
    /// The age of the oldest of them; 0 if there are none.
    public var oldestSeconds = 0
    /// Loads that were dropped because the spool was full, since the spool was created.
    public var dropped = 0
    /// The forwarder's counters.
    public var forwarder = ForwarderFigures()

    public init() {}

    func add(to metrics: inout Metrics) {
        metrics.add(.gauge, "atsgate_spool_rows", "Loads that are not in the shared store yet, approximately.", waiting)
        metrics.add(
            .gauge, "atsgate_spool_oldest_seconds", "Age of the oldest of them; 0 if there are none.", oldestSeconds)
        metrics.add(
            .counter, "atsgate_spool_dropped_total",
            "Loads that were dropped because the spool was full, since it was created.", dropped)
        metrics.add(.counter, "atsgate_spool_shipped_total", "Loads that this gate shipped.", forwarder.shipped)
        metrics.add(
            .counter, "atsgate_spool_failures_total", "Failed connections and batches to the shared store.",
            forwarder.failures)
        metrics.add(
            .counter, "atsgate_spool_refused_total",
            "Loads that the shared store rejected, or that cannot be read in the spool.", forwarder.refused)
        metrics.add(
            .gauge, "atsgate_spool_connected", "1 while this gate is connected to the shared store.",
            forwarder.isConnected ? 1 : 0)
    }
}

extension WebRouter {
    /// The routes for monitoring: three, without a token, which reveal nothing about the loads.
    ///
    /// - Parameter takesAnyName: accepts every Host name, for networks in which the gate has a name. Otherwise only an
    ///   address or `localhost` is accepted, so that no site in a browser on this machine can read the answers.
    public static func monitoring(_ monitor: GateMonitor, port: Int, takesAnyName: Bool) -> WebRouter {
        let rules = AccessRules(port: port, takesAnyName: takesAnyName)
        return WebRouter(
            withoutToken: rules,
            [
                WebRoute(.get, "/healthz", .anyone) { _ in .sentences([monitor.trouble].compactMap(\.self)) },
                WebRoute(.get, "/readyz", .anyone) { _ in .sentences(monitor.obstacles(monitor.pulse)) },
                .metrics(of: monitor, at: "/metrics", .anyone),
            ])
    }
}

extension WebRoute {
    static func metrics(of monitor: GateMonitor, at path: String, _ access: Access) -> WebRoute {
        WebRoute(.get, path, access) { _ in WebAnswer(Metrics.mediaType, monitor.metrics.text) }
    }
}

extension WebLimits {
    /// Limits for clients that poll every few seconds and send no body.
    public static var monitoring: WebLimits {
        var limits = WebLimits()
        limits.connections = 32
        limits.streams = 0
        limits.headBytes = 8_192
        limits.bodyBytes = 0
        limits.answer = .seconds(10)
        return limits
    }
}

extension WebAnswer {
    /// The problems, one per line, with 503; `ok` if there are none.
    fileprivate static func sentences(_ sentences: [String]) -> WebAnswer {
        guard !sentences.isEmpty else { return .plain("ok\n") }
        return .plain(sentences.map { $0 + "\n" }.joined(), status: 503)
    }
}
