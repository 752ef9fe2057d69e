import Logging
import NetLoop
import Synchronization
import Text

/// The limits for all workers of a gate: addresses that must not be dialed, and the number of descriptors.
struct WorkerLimits: Sendable {
    let descriptors: DescriptorReserve
    private let listeners: [Authority]
    private let forbidsThisMachine: Bool

    init(_ settings: GateSettings, listeners addresses: [ListenAddress], log: Logger) {
        descriptors = DescriptorReserve(limit: settings.descriptorLimit ?? DescriptorLimit.raise() ?? .max, log: log)
        listeners = addresses.filter { !$0.isApart }.map { Authority(host: $0.host, port: $0.port) }
        forbidsThisMachine = settings.allowsLAN && !settings.allowsLANToHost
    }

    /// The addresses that a client may not connect to.
    ///
    /// - Parameters:
    ///   - client: its `ADDRESS:PORT`.
    ///   - isChosen: true if the gate's own settings chose the address, not the client.
    func rules(for client: String, isChosen: Bool) -> AddressRules {
        AddressRules(
            ownListeners: listeners, forbidsThisMachine: forbidsThisMachine && !isChosen && !Self.isLoopback(client))
    }

    private static func isLoopback(_ client: String) -> Bool {
        guard let host = (try? Authority(client[...]))?.host else { return false }
        return IPAddress(host)?.isLoopback ?? false
    }
}

/// Detects a shortage of descriptors, and counts the clients closed because of it.
///
/// A new descriptor gets the lowest free number (POSIX, open()), so its number shows how many are in use.
final class DescriptorReserve: Sendable {
    private let limit: Int
    /// From this descriptor on, idle clients are closed.
    private let threshold: Int
    private let closed = Atomic<Int>(0)
    private let throttle = WarningThrottle()
    private let log: Logger

    init(limit: Int, log: Logger) {
        self.limit = limit
        self.log = log
        threshold = limit - min(max(limit / 8, Self.least), Self.most, limit / 2)
    }

    /// The number of clients to close after a new descriptor: two for each new client, and more as fewer descriptors
    /// are left, because other loops notice the shortage later.
    func shortage(at descriptor: Int32) -> Int {
        Int(descriptor) < threshold ? 0 : 2 + (Int(descriptor) - threshold) / 4
    }

    func noteClosed() {
        let count = closed.add(1, ordering: .relaxed).newValue
        guard throttle.mayWarn() else { return }
        log.warning(
            "running out of descriptors: closed \(count) idle clients so far; raise ulimit -n (now \(limit))")
    }

    /// The number of clients of each loop to close when no descriptor is left.
    static let closedWhenExhausted = 32
    /// The descriptors that connected clients need in addition to their own: one each to the origin, pipes, the store.
    private static let least = 32
    private static let most = 1_024
}

/// Limits a repeated warning, so that it does not fill the log: the first one is logged, then one at an interval.
final class WarningThrottle: Sendable {
    private let last = Mutex<ContinuousClock.Instant?>(nil)

    /// Notes a warning.
    ///
    /// - Returns: true if it should be logged now.
    func mayWarn() -> Bool {
        last.withLock { last in
            let now = ContinuousClock.now
            if let last, now - last < Self.silence { return false }
            last = now
            return true
        }
    }

    private static let silence = Duration.seconds(5)
}
