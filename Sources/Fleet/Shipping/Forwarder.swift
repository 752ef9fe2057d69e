import Dispatch
import Foundation
public import Postgres
public import Reporting
import Synchronization

/// Ships the loads of a spool to a shared store while gates record into it, on its own queue. A server that is slow,
/// full or unreachable costs only space in the spool: nothing waits for this queue.
public final class Forwarder: Sendable {
    public let address: PostgresAddress
    public let spoolPath: String
    private let timeout: Duration
    private let gate: Mutex<GateDescription>
    private let state = Mutex(State())
    private let gauge: SpoolGauge
    private let queue = DispatchQueue(label: "atsgate.forwarder")
    private let wakeUp = DispatchSemaphore(value: 0)
    private let ended = DispatchSemaphore(value: 0)
    private let onNotice: @Sendable (StoreNotice) -> Void

    private struct State {
        var figures = ForwarderFigures()
        /// The deadline, and the last load that must be shipped by then; nil while the gate runs.
        var end: (deadline: ContinuousClock.Instant, load: Int64)?
    }

    /// - Parameters:
    ///   - spool: the path of an existing store.
    ///   - timeout: the timeout for each answer of the server.
    ///   - onNotice: called on the forwarder's queue.
    /// - Throws: `StoreError`.
    public init(
        _ spool: String, to address: PostgresAddress, as gate: GateDescription, timeout: Duration = .seconds(10),
        onNotice: @escaping @Sendable (StoreNotice) -> Void
    ) throws(StoreError) {
        spoolPath = spool
        self.address = address
        self.timeout = timeout
        self.gate = Mutex(gate)
        self.onNotice = onNotice
        gauge = try SpoolGauge(path: spool)
    }

    /// Starts shipping. Call once.
    public func begin() { queue.async { self.run() } }

    /// Notes that the gate has another dictionary now.
    public func rename(policy: String?) { gate.withLock { $0.policy = policy } }

    public var figures: ForwarderFigures { state.withLock { $0.figures } }

    /// The state of the spool; nil if it cannot be read. Does not wait for the server.
    public var spool: SpoolFigures? { try? gauge.figures() }

    /// Ships the loads recorded so far and ends; loads that other gates record in the meantime are left. Call once.
    ///
    /// - Parameter limit: the time that this may take, including the server's last answer.
    /// - Returns: the number of loads that are still in the spool only.
    public func finish(within limit: Duration) -> Int64 {
        let last = spool?.last ?? .max
        let deadline = ContinuousClock.now + limit
        state.withLock { $0.end = (deadline, last) }
        wakeUp.signal()
        _ = ended.wait(timeout: .now() + .nanoseconds(limit.nanoseconds))
        return spool?.waiting(upTo: last) ?? 0
    }

    /// Makes ``finish(within:)`` return immediately: the loads stay in the spool.
    public func stop() {
        state.withLock { $0.end = (.now, $0.end?.load ?? 0) }
        wakeUp.signal()
        ended.signal()
    }

    // MARK: - On the queue

    private func run() {
        defer { ended.signal() }
        var pause = ShippingPause()
        var trouble = ShippingTrouble()
        var spool: Spool?
        var lock: SpoolLock?
        var unshipped = UnshippedLoads()
        while !isOver {
            do {
                let open = try spool ?? Spool(path: spoolPath)
                spool = open
                if lock == nil { lock = try SpoolLock(of: spoolPath) }
                guard lock != nil else {
                    // Another gate ships this spool.
                    if let last = lastWanted, self.spool?.waiting(upTo: last) == 0 { return }
                    wait(betweenLooks)
                    continue
                }
                let shipping = try Shipping(
                    open, to: address, as: gate.withLock { $0 }, timeout: timeout)
                note { $0.isConnected = true }
                try ship(open, by: shipping, &unshipped) {
                    note { $0.trouble = nil }
                    pause.reset()
                    trouble.isOver(with: shipping, at: spoolPath, now: .now).map(onNotice)
                }
                return
            } catch {
                note {
                    $0.isConnected = false
                    $0.failures += 1
                    $0.trouble = "\(error)"
                }
                trouble.words(for: error, now: .now).map { onNotice(.trouble($0)) }
                wait(pause.take())
            }
        }
    }

    /// Ships until the end.
    ///
    /// - Parameter onSuccess: called once, when the server has accepted something or nothing is left to ship. A server
    ///   that answers but refuses everything counts as unreachable.
    private func ship(
        _ spool: Spool, by shipping: Shipping, _ unshipped: inout UnshippedLoads, onSuccess: () -> Void
    ) throws {
        var works = false
        var noted: (number: Int64, at: ContinuousClock.Instant)?
        while !isOver {
            let begin = ContinuousClock.now
            // Read before shipping, so that loads filed until the end begins are also shipped.
            let lastWanted = lastWanted
            let step = try shipping.shipNext()
            if !works, step.shipped > 0 || step.isAtEnd || step.refusal != nil {
                works = true
                onSuccess()
            }
            unshipped.note(step.refusal, of: spool).map { onNotice(.trouble($0)) }
            note {
                $0.shipped += step.added
                $0.refused = unshipped.count
            }
            // Not after each batch, because noting the mark writes to the file that gates record into.
            let isTime = noted.map { begin - $0.at >= betweenBatches } ?? true
            if step.isAtEnd || lastWanted != nil || isTime, noted?.number != shipping.shipped {
                try spool.note(shipped: shipping.shipped)
                noted = (shipping.shipped, begin)
            }
            let isLast = lastWanted.map { step.isAtEnd || shipping.shipped >= $0 } ?? false
            try shipping.report(gate.withLock { $0 }, isLast: isLast)
            if isLast { return }
            if step.isAtEnd { wait(betweenBatches - (.now - begin)) }
        }
    }

    private func note(_ change: (inout ForwarderFigures) -> Void) { state.withLock { change(&$0.figures) } }

    /// The last load that must be shipped before the end; nil while the gate runs.
    private var lastWanted: Int64? { state.withLock { $0.end?.load } }

    private var isOver: Bool { state.withLock { $0.end.map { .now >= $0.deadline } ?? false } }

    /// Waits until the time is up or the end has begun.
    private func wait(_ time: Duration) {
        guard time > .zero else { return }
        let left = state.withLock { $0.end.map { $0.deadline - .now } ?? time }
        _ = wakeUp.wait(timeout: .now() + .nanoseconds(min(time, left).nanoseconds))
    }
}

extension Duration {
    fileprivate var nanoseconds: Int {
        let (seconds, attoseconds) = components
        return Int(clamping: max(0, seconds)) * 1_000_000_000 + Int(attoseconds / 1_000_000_000)
    }
}

private let betweenBatches = Duration.milliseconds(250)
private let betweenLooks = Duration.seconds(1)

/// The pause before the next attempt to reach a server. It grows each time and is random, so that gates that lost the
/// same server do not all reconnect at the same moment.
public struct ShippingPause {
    private var next = shortestPause

    public init() {}

    /// Returns the next pause.
    public mutating func take() -> Duration {
        defer { next = min(next * 2, longestPause) }
        return next * Double.random(in: 0.75...1.25)
    }

    /// Starts again with the shortest pause, after the server has answered.
    public mutating func reset() { next = shortestPause }
}

private let shortestPause = Duration.milliseconds(250)
private let longestPause = Duration.seconds(15)

/// A sentence for the user about a gate's shared store: a trouble, or its end.
public enum StoreNotice: Sendable, Hashable {
    case trouble(String)
    case recovery(String)
}

/// The notices about a spool that is not shipped: the cause once, again when it changes or lasts long, and its end.
struct ShippingTrouble {
    private var cause: String?
    private var since: ContinuousClock.Instant?
    private var reported: ContinuousClock.Instant?
    /// The number of lost loads that was reported.
    private var lost: Int64 = 0

    /// - Returns: nil if this was reported recently.
    mutating func words(for error: any Error, now: ContinuousClock.Instant) -> String? {
        let words = "\(error)"
        since = since ?? now
        if words == cause, let reported, now - reported < betweenComplaints { return nil }
        (cause, reported) = (words, now)
        return "loads are not shipped: \(words); they stay in the spool"
    }

    /// Notes that the server accepts loads again, and returns a notice about the end of a trouble.
    mutating func isOver(with shipping: Shipping, at path: String, now: ContinuousClock.Instant) -> StoreNotice? {
        var sentences: [String] = []
        if let since { sentences.append("loads are shipped again after \((now - since).components.seconds) s") }
        let isLossNew = shipping.lost > lost
        if isLossNew {
            sentences.append(
                "the shared store was restored to an older state: \(shipping.lost) loads are lost, not even in \(path)")
        }
        self = ShippingTrouble()
        lost = shipping.lost
        let words = sentences.joined(separator: "; ")
        return isLossNew ? .trouble(words) : words.isEmpty ? nil : .recovery(words)
    }
}

private let betweenComplaints = Duration.seconds(600)

/// The reason why a spool cannot be shipped until the user acts. Recording continues.
public enum ShippingError: Error, Sendable, Hashable, CustomStringConvertible {
    /// Another login owns the spool's row.
    case foreign(path: String)

    public var description: String {
        switch self {
        case .foreign(let path): "the spool \(path) was shipped by another login before: use that login"
        }
    }
}

/// The loads of a spool that cannot be shipped: refused by the server, or with text that it cannot keep. Each counts once, however often
/// connections break, and each cause is reported once.
public struct UnshippedLoads {
    /// The number of loads that the server refused.
    public private(set) var refused = 0
    /// The server's message for the last of them.
    public private(set) var lastRefusal: String?
    private var leftOut = 0
    /// The highest refused number: after a broken connection, the same load is refused again.
    private var lastRefused: Int64 = 0
    private var reported: Set<String> = []

    public init() {}

    public var count: Int { refused + leftOut }

    /// - Returns: a notice for the user; nil if the cause was reported before.
    public mutating func note(_ refusal: Shipping.Refusal?, of spool: Spool) -> String? {
        leftOut = spool.leftOut
        if let refusal, refusal.number > lastRefused {
            refused += 1
            (lastRefused, lastRefusal) = (refusal.number, refusal.words)
            guard reported.insert(refusal.state).inserted else { return nil }
            return "the shared store refuses a load because of its content: \(refusal.words); \(Self.stay(spool))"
        }
        guard leftOut > 0, reported.insert("").inserted else { return nil }
        return "some loads are not shipped, because they contain text with U+0000; \(Self.stay(spool))"
    }

    private static func stay(_ spool: Spool) -> String {
        "such loads stay in \(spool.path) for a day after later loads were shipped"
    }
}

/// Notifies followers of the store about new loads, at most once a second: a notification makes commits wait for each
/// other (PostgreSQL 15, src/backend/commands/async.c).
struct LoadNotifier {
    static let channel = "atsgate_loads"

    private var last: ContinuousClock.Instant?
    /// True if loads were shipped without a notification.
    private var hasPending = false

    /// True if the next batch should notify.
    func isDue(_ now: ContinuousClock.Instant) -> Bool { last.map { now - $0 >= betweenNotices } ?? true }

    /// Notes that a batch is committed.
    mutating func note(isNotified: Bool, now: ContinuousClock.Instant) {
        hasPending = !isNotified
        if isNotified { last = now }
    }

    /// Sends a pending notification if it is due.
    mutating func settle(on connection: PostgresConnection, now: ContinuousClock.Instant, isLast: Bool) throws {
        guard hasPending, isLast || isDue(now) else { return }
        try Self.notify(on: connection)
        note(isNotified: true, now: now)
    }

    /// Notifies in a transaction; the server sends it after the commit.
    static func notify(on connection: PostgresConnection) throws {
        _ = try connection.query("SELECT pg_catalog.pg_notify($1, '')", [.text(channel)])
    }
}

private let betweenNotices = Duration.seconds(1)
