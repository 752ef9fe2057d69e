import Logging
import NetLoop
import Synchronization
import Text

/// What all workers of a gate keep to: where nobody is dialed, and how many descriptors there are.
struct WorkerLimits: Sendable {
    let descriptors: DescriptorReserve
    private let listeners: [AddressRules.OwnListener]
    private let sparesHost: Bool

    init(_ settings: GateSettings, listeners addresses: [ListenAddress], log: Logger) {
        descriptors = DescriptorReserve(limit: settings.descriptorLimit ?? DescriptorLimit.raise() ?? .max, log: log)
        listeners = addresses.filter { !$0.isApart }.map { AddressRules.OwnListener(host: $0.host, port: $0.port) }
        sparesHost = settings.allowsLAN && !settings.allowsLANToHost
    }

    /// What a client may not be led to.
    ///
    /// - Parameters:
    ///   - client: its `ADDRESS:PORT`.
    ///   - isChosen: the way leads to where the gate's own settings say, not to where the client does.
    func rules(for client: String, isChosen: Bool) -> AddressRules {
        AddressRules(
            ownListeners: listeners, sparesHost: sparesHost && !isChosen && !Self.isLoopback(client))
    }

    private static func isLoopback(_ client: String) -> Bool {
        guard let host = (try? Authority(client[...]))?.host else { return false }
        return IPAddress(host)?.isLoopback ?? false
    }
}

/// Tells when descriptors run short, and counts what was closed for it.
///
/// A new descriptor has the lowest number that is free (POSIX, open()), so its number says how many there are.
final class DescriptorReserve: Sendable {
    private let limit: Int
    /// From this number on, somebody who only waits has to go.
    private let threshold: Int
    private let closed = Atomic<Int>(0)
    private let throttle = WarningThrottle()
    private let log: Logger

    init(limit: Int, log: Logger) {
        self.limit = limit
        self.log = log
        threshold = limit - min(max(limit / 8, Self.least), Self.most, limit / 2)
    }

    /// How many have to go when this is the lowest number that was free: two for one that comes, and more the less is
    /// left, because other loops hear of theirs a moment later.
    func shortage(at descriptor: Int32) -> Int {
        Int(descriptor) < threshold ? 0 : 2 + (Int(descriptor) - threshold) / 4
    }

    func noteClosed() {
        let count = closed.add(1, ordering: .relaxed).newValue
        guard throttle.mayWarn() else { return }
        log.warning(
            "descriptors run short: clients that only wait are closed, \(count) so far; raise ulimit -n (now \(limit))")
    }

    /// How many of each loop have to go when there is nothing left at all.
    static let closedWhenExhausted = 32
    /// What the clients that are served need beside their own descriptor: one to the origin each, pipes, the store.
    private static let least = 32
    private static let most = 1_024
}
