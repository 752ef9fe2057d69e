public import Reporting
import Synchronization

/// Knows how a gate fares, for whoever watches it by machine: whether it lives, whether it takes loads, and numbers.
public final class GateMonitor: Sendable {
    /// What is asked of the gate itself. Made by whoever runs it: ControlPlane knows none.
    public struct Signs: Sendable {
        /// Asks all loops; blocks for the time at most.
        public var pulse: @Sendable (Duration) -> Pulse
        public var archive: @Sendable () -> ArchiveFigures
        /// When the local CA expires, in seconds since 1970-01-01 UTC.
        public var authorityEnd: Int64
        /// How loads come into the shared store; nil where there is none, and where that cannot be told.
        public var spool: @Sendable () -> SpoolSigns?

        public init(
            pulse: @escaping @Sendable (Duration) -> Pulse, archive: @escaping @Sendable () -> ArchiveFigures,
            authorityEnd: Int64, spool: @escaping @Sendable () -> SpoolSigns? = { nil }
        ) {
            self.pulse = pulse
            self.archive = archive
            self.authorityEnd = authorityEnd
            self.spool = spool
        }
    }

    /// What the gate's loops answered.
    public struct Pulse: Sendable, Hashable {
        /// That did not answer in time.
        public var silentLoops: Int
        public var openConnections: Int

        public init(silentLoops: Int, openConnections: Int) {
            self.silentLoops = silentLoops
            self.openConnections = openConnections
        }
    }

    /// Policies that were read while the gate runs.
    struct Reloads: Sendable {
        var inForce = 0
        var refused = 0
        var isLastInForce = true
    }

    private enum Stage {
        case starting
        case serving(Signs)
        case draining(Signs)

        var signs: Signs? {
            switch self {
            case .starting: nil
            case .serving(let signs), .draining(let signs): signs
            }
        }
    }

    /// Counts loads; to be one of the archive's sinks.
    public let loads = LoadMeter()
    let version: String
    let process = ProcessFigures()
    private let stage = Mutex(Stage.starting)
    private let policies = Mutex(Reloads())

    public init(version: String) {
        self.version = version
    }

    /// The gate serves: its dictionary is read, and its addresses are bound.
    public func begin(_ signs: Signs) { stage.withLock { $0 = .serving(signs) } }

    /// The gate takes no more clients.
    public func drain() {
        stage.withLock { stage in
            if let signs = stage.signs { stage = .draining(signs) }
        }
    }

    /// - Parameter isInForce: whether the policy that was read could be put in force.
    public func noteReload(isInForce: Bool) {
        policies.withLock { policies in
            if isInForce { policies.inForce += 1 } else { policies.refused += 1 }
            policies.isLastInForce = isInForce
        }
    }

    /// Why it is to be taken for dead, as a sentence; nil where all loops answer. Blocks for ``patience`` at most.
    public var trouble: String? { Self.trouble(of: pulse) }

    private static func trouble(of pulse: Pulse?) -> String? {
        guard let silent = pulse?.silentLoops, silent > 0 else { return nil }
        return "\(silent) of the gate's loops did not answer within \(patience.components.seconds) s"
    }

    /// Why it is to be sent no loads, as sentences; empty where it takes them.
    func obstacles(_ pulse: Pulse?) -> [String] {
        let stage = stage.withLock { $0 }
        var sentences: [String] = []
        switch stage {
        case .starting: sentences.append("the gate is starting: its dictionary is not read, or its addresses not bound")
        case .serving: break
        case .draining: sentences.append("the gate is draining: it takes no more clients")
        }
        if stage.signs?.archive().isFull == true {
            sentences.append("the archive is full: new loads wait until records are written")
        }
        return sentences + [Self.trouble(of: pulse)].compactMap(\.self)
    }

    var signs: Signs? { stage.withLock { $0.signs } }
    /// nil before the gate serves. Blocks for ``patience`` at most.
    var pulse: Pulse? { signs?.pulse(Self.patience) }
    var reloads: Reloads { policies.withLock { $0 } }

    /// How long a loop may take to answer.
    public static let patience = Duration.seconds(2)
}
