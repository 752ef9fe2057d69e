import Bytes
import CPoll
import Dispatch
import Synchronization

/// Looks names up with getaddrinfo, off the loops.
///
/// A lookup blocks its thread, and a concurrent queue grows threads too slowly for that, so there are serial queues.
/// Equal names in progress are looked up once; answers are kept briefly; a name without waiters is not looked up.
/// Names of the hosts file do not wait for those that a server must answer. A name whose lookup timed out is not looked
/// up again for a while, because each attempt holds a thread for seconds.
public final class Resolver: NameResolving {
    private struct CachedAnswer {
        let answer: NameAnswer
        let until: Int64
        /// True if this or an earlier answer had addresses.
        let isKnown: Bool
    }

    private struct State {
        var kept = WeighedCache<String, CachedAnswer>(.names, limit: 1 << 20, count: Resolver.keptNames)
        var lookups: LookupQueue
        var isLookPlanned = false
    }

    /// How much a resolver takes on. See ``LookupQueue``.
    public struct Capacity: Sendable {
        /// Lookups at a time, not counting those that take long, and all in all.
        public var prompt: Int
        public var all: Int
        /// Names that may wait for their turn; more are answered with `EAI_AGAIN` at once.
        public var queued: Int
        /// When a lookup takes long.
        public var long: Duration
        /// A lookup that fails after this time has timed out. Source: resolv.conf(5), 5 s for each attempt.
        public var dead: Duration

        public init(
            prompt: Int = 8, all: Int = 64, queued: Int = 1_024, long: Duration = .milliseconds(500),
            dead: Duration = .seconds(2)
        ) {
            precondition(prompt > 0 && all >= prompt && queued > 0)
            self.prompt = prompt
            self.all = all
            self.queued = queued
            self.long = long
            self.dead = dead
        }
    }

    private let workers: [DispatchQueue]
    private let hostsWorker = DispatchQueue(label: "atsgate.names.hosts")
    private let hosts: HostsFile
    private let long: Duration
    private let answerLifetime: Int64
    private let failureLifetime: Int64
    private let dead: Int64
    private let lookup: @Sendable (String) -> NameAnswer
    private let state: Mutex<State>

    /// - Parameters:
    ///   - answerLifetime: how long addresses are believed; zero asks every time.
    ///   - failureLifetime: the same for failures, but not for timeouts: these are kept for 30 s, unless the name had
    ///     addresses before.
    ///   - hosts: names that the system can tell without asking anybody.
    ///   - lookup: may block.
    public init(
        capacity: Capacity = Capacity(), answerLifetime: Duration = .seconds(5),
        failureLifetime: Duration = .seconds(1), hosts: HostsFile = HostsFile(),
        lookup: @escaping @Sendable (String) -> NameAnswer = Resolver.askSystem
    ) {
        // Their own threads (the default target), so that a slow lookup takes none from the loops. A queue without
        // work has no thread.
        workers = (0..<capacity.all).map { DispatchQueue(label: "atsgate.names.\($0)") }
        long = capacity.long
        dead = capacity.dead.clampedNanoseconds
        self.hosts = hosts
        self.answerLifetime = answerLifetime.clampedNanoseconds
        self.failureLifetime = failureLifetime.clampedNanoseconds
        self.lookup = lookup
        let limits = LookupQueue.Limits(
            prompt: capacity.prompt, all: capacity.all, queued: capacity.queued,
            long: capacity.long.clampedNanoseconds)
        state = Mutex(State(lookups: LookupQueue(limits: limits)))
    }

    public func answer(for host: String, later: @escaping @Sendable (NameAnswer) -> Void) -> NameReply {
        answer(for: host, from: "", later: later)
    }

    public func answer(
        for host: String, from asker: String, later: @escaping @Sendable (NameAnswer) -> Void
    ) -> NameReply {
        if let address = HostAddress(host: host) { return .known(.addresses([address])) }
        let now = EventLoop.monotonicNanoseconds()
        let isInHosts = hosts.contains(host, at: now, refreshOn: hostsWorker)
        let (known, joining, number) = state.withLock { state -> (NameAnswer?, LookupQueue.JoinResult, Int) in
            let kept = state.kept.value(for: host)
            if let kept, kept.until > now { return (kept.answer, .joined, 0) }
            let question = LookupQueue.Question(host: host, asker: asker, isKnown: kept?.isKnown == true)
            let (joining, number) = state.lookups.join(question, later, hasOwnWorker: isInHosts)
            return (nil, joining, number)
        }
        if let known { return .known(known) }
        switch joining {
        case .full: return .known(.failed(code: EAI_AGAIN))
        case .joined: break
        case .queued where isInHosts: hostsWorker.async { self.look(host, in: nil) }
        case .queued: beginLookups(at: now)
        }
        return .pending(Lookup { [weak self] in self?.state.withLock { $0.lookups.abandon(number, host: host) } })
    }

    /// Starts what may start. The others are tried again once a lookup may have taken long.
    private func beginLookups(at now: Int64) {
        let plansLook = state.withLock { state in
            while let (host, worker) = state.lookups.next(at: now) {
                workers[worker].async { self.look(host, in: worker) }
            }
            guard state.lookups.waitingNames > 0, !state.isLookPlanned else { return false }
            state.isLookPlanned = true
            return true
        }
        guard plansLook else { return }
        let wait = DispatchTimeInterval.nanoseconds(Int(clamping: long.clampedNanoseconds))
        hostsWorker.asyncAfter(deadline: .now() + wait) { [weak self] in
            guard let self else { return }
            state.withLock { $0.isLookPlanned = false }
            beginLookups(at: EventLoop.monotonicNanoseconds())
        }
    }

    private func look(_ host: String, in worker: Int?) {
        let begin = EventLoop.monotonicNanoseconds()
        let answer = lookup(host)
        let now = EventLoop.monotonicNanoseconds()
        let waiting = state.withLock { state in
            keep(answer, for: host, at: now, wasDead: now - begin >= dead, in: &state)
            return state.lookups.finish(host, worker: worker)
        }
        if worker != nil { beginLookups(at: now) }
        for waiter in waiting { waiter(answer) }
    }

    private func keep(
        _ answer: NameAnswer, for host: String, at now: Int64, wasDead: Bool, in state: inout State
    ) {
        let hadAddresses = state.kept.value(for: host)?.isKnown == true
        let (lifetime, count, isKnown) =
            switch answer {
            case .addresses(let addresses): (answerLifetime, addresses.count, true)
            case .failed where wasDead && !hadAddresses: (Self.deadLifetime, 0, false)
            case .failed: (failureLifetime, 0, hadAddresses)
            }
        state.kept.keep(
            CachedAnswer(answer: answer, until: now + min(lifetime, .max - now), isKnown: isKnown), for: host,
            bytes: host.utf8.count + count * MemoryLayout<HostAddress>.stride + 64)
    }

    /// getaddrinfo(3) for stream sockets. Blocks.
    public static let askSystem: @Sendable (String) -> NameAnswer = { host in
        var found = [cpoll_address](repeating: cpoll_address(), count: addressesPerName)
        var count: Int32 = 0
        let code = cpoll_lookup(host, &found, Int32(found.count), &count)
        guard code == 0 else { return .failed(code: code) }
        return .addresses(found.prefix(Int(count)).map { HostAddress($0) })
    }

    private static let keptNames = 2_048
    private static let deadLifetime = Duration.seconds(30).clampedNanoseconds
    /// More than happy eyeballs would ever come to try.
    private static let addressesPerName = 32
}

/// The result of a name lookup.
public enum NameAnswer: Hashable, Sendable {
    /// In the system's order of preference (RFC 6724); never empty.
    case addresses([HostAddress])
    /// The `EAI_` number of getaddrinfo(3), whose value and sign differ between systems.
    case failed(code: Int32)
}

/// The immediate answer of a resolver.
public enum NameReply: Sendable {
    case known(NameAnswer)
    /// The answer comes later, exactly once, unless the lookup is abandoned.
    case pending(Lookup)
}

/// A lookup in progress. Releasing it does not abandon it.
public final class Lookup: Sendable {
    private let whenAbandoned: @Sendable () -> Void

    public init(whenAbandoned: @escaping @Sendable () -> Void) { self.whenAbandoned = whenAbandoned }

    /// Abandons the lookup. An answer that was on its way may still arrive. May be called again.
    public func abandon() { whenAbandoned() }
}

/// Resolves host names to addresses. ``Resolver`` uses the system; tests and pinned hosts use their own.
public protocol NameResolving: Sendable {
    /// Looks up a name.
    ///
    /// - Parameter later: runs at most once, on any thread. Does not run if the returned reply is the answer.
    func answer(for host: String, later: @escaping @Sendable (NameAnswer) -> Void) -> NameReply

    /// The same for a client, by its address, so that one client cannot use up the lookups of all.
    func answer(
        for host: String, from asker: String, later: @escaping @Sendable (NameAnswer) -> Void
    ) -> NameReply
}

extension NameResolving {
    public func answer(
        for host: String, from asker: String, later: @escaping @Sendable (NameAnswer) -> Void
    ) -> NameReply { answer(for: host, later: later) }
}

/// The names in a hosts file: hosts(5). Only tests if a name is present; the system resolves it.
public final class HostsFile: Sendable {
    private struct State {
        var names: Set<String> = ["localhost"]
        /// Inode, size and time of the file that was read.
        var stamp: [Int64]?
        /// The time of the next check, in nanoseconds.
        var due = Int64.min
    }

    private let path: String
    private let state = Mutex(State())

    public init(path: String = "/etc/hosts") {
        self.path = path
        refresh()
    }

    /// True if the file has the name. Never blocks on the file: a change is seen a moment later.
    func contains(_ host: String, at now: Int64, refreshOn queue: DispatchQueue) -> Bool {
        let (isHere, isDue) = state.withLock { state in
            let isDue = state.due <= now
            if isDue { state.due = now + Self.interval }
            return (state.names.contains(host), isDue)
        }
        if isDue { queue.async { self.refresh() } }
        return isHere
    }

    private func refresh() {
        let stamp = Self.stamp(of: path)
        guard state.withLock({ $0.stamp != stamp }) else { return }
        let names = Self.names(in: readFile(path, upTo: Self.maxBytes))
        state.withLock { state in
            state.names = names
            state.stamp = stamp
        }
    }

    /// Parses lines of an address and its names, in any case. A number sign starts a comment.
    static func names(in text: [UInt8]) -> Set<String> {
        var names: Set<String> = ["localhost"]
        for line in text.split(whereSeparator: { $0 == 10 || $0 == 13 }) {
            let words = line.prefix { $0 != UInt8(ascii: "#") }.split { $0 == 32 || $0 == 9 }
            for word in words.dropFirst() { names.insert(String(decoding: word, as: UTF8.self).lowercased()) }
        }
        return names
    }

    private static func stamp(of path: String) -> [Int64] {
        var found = cpoll_stamp()
        guard cpoll_stamp_of(path, &found) == 0 else { return [] }
        return [Int64(bitPattern: found.inode), Int64(bitPattern: found.size), found.seconds, found.nanoseconds]
    }

    /// The time between two checks of the file, in nanoseconds.
    private static let interval: Int64 = 1_000_000_000
    /// Ad-blocking lists have some megabytes.
    private static let maxBytes = 16_777_216
}
