/// The names to look up, their waiters, and the running lookups. Pure: has no clock and no thread.
///
/// A lookup cannot be ended, and one for a name whose servers are dead blocks its thread for as long as the system's
/// resolver is patient (resolv.conf(5): 5 s for each of two attempts at each server). So a slow lookup no longer counts
/// toward the number that may run, and threads are shared out: clients take turns, no client and no domain gets all
/// threads, and some are kept for names that had addresses before.
struct LookupQueue {
    typealias Waiter = @Sendable (NameAnswer) -> Void

    /// A question of a client.
    struct Question {
        let host: String
        /// The client's address; empty if it is unknown.
        let asker: String
        /// True if the name had addresses before.
        let isKnown: Bool
    }

    private struct PendingLookup {
        var waiters: [Int: Waiter] = [:]
        /// The lines that contain the name.
        var askers: Set<String> = []
        var isRunning = false
    }

    private struct RunningLookup {
        let begin: Int64
        let asker: String
        let domain: String
    }

    struct Limits {
        /// Lookups that run at a time, without slow ones.
        var prompt: Int
        /// Lookups that run at a time; each has a thread.
        var all: Int
        /// Names that wait for their turn.
        var queued: Int
        /// After so many nanoseconds a lookup is slow.
        var long: Int64

        /// For one client, so that others have some left.
        var allOfOne: Int { max(1, all - reserved) / 2 + 1 }
        var queuedOfOne: Int { queued - queued / 4 }
        /// Threads for names that had addresses before.
        var reserved: Int { all / 4 }
        /// Lookups below one domain: its servers may be dead.
        var allOfDomain: Int { 4 }
    }

    enum JoinResult {
        /// The name is already in the queue, or running.
        case joined
        case queued
        /// Too many names wait.
        case full
    }

    private let limits: Limits
    private var asked: [String: PendingLookup] = [:]
    /// The names that wait, by client.
    private var lines: [String: [Question]] = [:]
    /// The clients with a line, in the order of their turns.
    private var turns: [String] = []
    /// The running lookups, by worker.
    private var running: [Int: RunningLookup] = [:]
    private var freeWorkers: [Int]
    private var ticket = 0
    /// The number of names that wait for their turn.
    private(set) var waitingNames = 0

    init(limits: Limits) {
        self.limits = limits
        freeWorkers = Array((0..<limits.all).reversed())
    }

    /// - Returns: the waiter's number, for ``abandon(_:host:)``.
    mutating func join(_ question: Question, _ waiter: @escaping Waiter, hasOwnWorker: Bool) -> (JoinResult, Int) {
        ticket += 1
        let host = question.host
        if let known = asked[host] {
            asked[host]?.waiters[ticket] = waiter
            // The name shall not wait for the turn of another client.
            if !known.isRunning, !known.askers.contains(question.asker) { line(up: question) }
            return (.joined, ticket)
        }
        if !hasOwnWorker {
            let own = lines[question.asker]?.count ?? 0
            guard waitingNames < limits.queued, own < limits.queuedOfOne else { return (.full, ticket) }
            waitingNames += 1
        }
        asked[host] = PendingLookup(waiters: [ticket: waiter], isRunning: hasOwnWorker)
        if !hasOwnWorker { line(up: question) }
        return (.queued, ticket)
    }

    private mutating func line(up question: Question) {
        asked[question.host]?.askers.insert(question.asker)
        if lines[question.asker] == nil { turns.append(question.asker) }
        lines[question.asker, default: []].append(question)
    }

    /// Drops a waiter, and a queued name without waiters.
    mutating func abandon(_ number: Int, host: String) {
        guard var entry = asked[host], entry.waiters.removeValue(forKey: number) != nil else { return }
        guard entry.waiters.isEmpty, !entry.isRunning else {
            asked[host] = entry
            return
        }
        leave(host, of: entry)
        asked[host] = nil
    }

    /// Takes a name out of all lines.
    private mutating func leave(_ host: String, of entry: PendingLookup) {
        for asker in entry.askers {
            guard let index = lines[asker]?.firstIndex(where: { $0.host == host }) else { continue }
            lines[asker]?.remove(at: index)
            guard lines[asker]?.isEmpty == true else { continue }
            lines[asker] = nil
            turns.removeAll { $0 == asker }
        }
        waitingNames -= 1
    }

    /// The next lookup to begin, with its worker.
    mutating func next(at now: Int64) -> (host: String, worker: Int)? {
        guard waitingNames > 0, let worker = freeWorkers.last else { return nil }
        guard running.values.count(where: { now - $0.begin < limits.long }) < limits.prompt else { return nil }
        for (turn, asker) in turns.enumerated() {
            var mayUse: [String: Bool] = [:]
            guard let question = lines[asker]?.first(where: { mayBegin($0, &mayUse) }),
                let entry = asked[question.host]
            else { continue }
            turns.append(turns.remove(at: turn))
            leave(question.host, of: entry)
            asked[question.host]?.isRunning = true
            freeWorkers.removeLast()
            running[worker] = RunningLookup(begin: now, asker: asker, domain: Self.domain(of: question.host))
            return (question.host, worker)
        }
        return nil
    }

    /// - Parameter mayUse: the answers for the domains of this client's line.
    private func mayBegin(_ question: Question, _ mayUse: inout [String: Bool]) -> Bool {
        if question.isKnown { return true }
        let domain = Self.domain(of: question.host)
        if let known = mayUse[domain] { return known }
        let may =
            freeWorkers.count > limits.reserved
            && running.values.count { $0.domain == domain } < limits.allOfDomain
            && running.values.count { $0.asker == question.asker } < limits.allOfOne
        mayUse[domain] = may
        return may
    }

    /// The part of a name below which servers are probably the same: the last two labels, or the last three if these
    /// are short, as in `example.co.uk`. A name of two labels is its own domain: `com` would be that of too many.
    static func domain(of host: String) -> String {
        let labels = host.split(separator: ".")
        guard labels.count > 2 else { return host }
        let isShort = labels[labels.count - 1].count == 2 && labels[labels.count - 2].count <= 3
        return labels.suffix(isShort ? 3 : 2).joined(separator: ".")
    }

    /// - Parameter worker: nil for a lookup on a separate worker.
    /// - Returns: the waiters, in their order.
    mutating func finish(_ host: String, worker: Int?) -> [Waiter] {
        if let worker {
            running[worker] = nil
            freeWorkers.append(worker)
        }
        let waiters = asked.removeValue(forKey: host)?.waiters ?? [:]
        return waiters.sorted { $0.key < $1.key }.map(\.value)
    }
}
