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
}
