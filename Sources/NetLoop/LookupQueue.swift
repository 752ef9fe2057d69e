/// Who waits for which name, and which names are being looked up. Pure: it knows no clock and no thread.
///
/// A lookup can not be ended, and one for a name whose servers are dead blocks its thread for as long as the system's
/// resolver is patient (resolv.conf(5): 5 s for each of two attempts at each server). So a lookup that takes long counts
/// no longer against the number that may run: others start beside it, as far as there are threads.
struct LookupQueue {
    typealias Waiter = @Sendable (NameAnswer) -> Void

    private struct PendingLookup {
        var waiters: [Int: Waiter] = [:]
        var isRunning = false
    }

    struct Limits {
        /// Lookups that run at a time, not counting those that take long.
        var prompt: Int
        /// Lookups that run at a time, all in all: each has a thread.
        var all: Int
        /// Names that wait for their turn.
        var queued: Int
        /// After so many nanoseconds a lookup takes long.
        var long: Int64
    }

    enum JoinResult {
        /// Somebody asks for that name already.
        case joined
        case queued
        /// Too many names wait.
        case full
    }

    private let limits: Limits
    private var asked: [String: PendingLookup] = [:]
    private var queue: [String] = []
    private var queueHead = 0
    /// When the lookups that run began, by worker.
    private var running: [Int: Int64] = [:]
    private var freeWorkers: [Int]
    private var ticket = 0

    init(limits: Limits) {
        self.limits = limits
        freeWorkers = Array((0..<limits.all).reversed())
    }

    /// Names that wait for their turn.
    var waitingNames: Int { queue.count - queueHead }

    /// - Returns: the waiter's number, for ``abandon(_:host:)``.
    mutating func join(_ host: String, _ waiter: @escaping Waiter, hasOwnWorker: Bool) -> (JoinResult, Int) {
        ticket += 1
        if asked[host] != nil {
            asked[host]?.waiters[ticket] = waiter
            return (.joined, ticket)
        }
        if !hasOwnWorker {
            guard waitingNames < limits.queued else { return (.full, ticket) }
            queue.append(host)
        }
        asked[host] = PendingLookup(waiters: [ticket: waiter], isRunning: hasOwnWorker)
        return (.queued, ticket)
    }

    /// A name that nobody waits for any more loses its turn.
    mutating func abandon(_ number: Int, host: String) {
        guard var entry = asked[host], entry.waiters.removeValue(forKey: number) != nil else { return }
        guard entry.waiters.isEmpty, !entry.isRunning else {
            asked[host] = entry
            return
        }
        asked[host] = nil
        if let index = queue[queueHead...].firstIndex(of: host) { queue.remove(at: index) }
    }

    /// The next lookup to begin, with its worker.
    mutating func next(at now: Int64) -> (host: String, worker: Int)? {
        guard queueHead < queue.count, let worker = freeWorkers.last else { return nil }
        guard running.values.count(where: { now - $0 < limits.long }) < limits.prompt else { return nil }
        freeWorkers.removeLast()
        running[worker] = now
        let host = queue[queueHead]
        queueHead += 1
        if queueHead == queue.count || queueHead > limits.queued {
            queue.removeFirst(queueHead)
            queueHead = 0
        }
        asked[host]?.isRunning = true
        return (host, worker)
    }

    /// - Parameter worker: nil for a lookup on a worker of its own.
    /// - Returns: those who waited, in the order in which they came.
    mutating func finish(_ host: String, worker: Int?) -> [Waiter] {
        if let worker {
            running[worker] = nil
            freeWorkers.append(worker)
        }
        let waiters = asked.removeValue(forKey: host)?.waiters ?? [:]
        return waiters.sorted { $0.key < $1.key }.map(\.value)
    }
}
