import CPoll
import Dispatch
import Synchronization

/// Looks names up with getaddrinfo, off the loops.
///
/// A lookup blocks its thread, and a concurrent queue grows threads too slowly for that, so there is a fixed number of
/// serial queues. Equal names under way are asked once; answers are kept briefly.
public final class Resolver: NameResolving {
    private struct Kept {
        let answer: NameAnswer
        let until: Int64
    }

    private struct State {
        var kept: [String: Kept] = [:]
        var waiting: [String: [@Sendable (NameAnswer) -> Void]] = [:]
        /// Lookups queued or running, per lane.
        var load: [Int]
    }

    private let lanes: [DispatchQueue]
    private let answerLifetime: Int64
    private let failureLifetime: Int64
    private let lookup: @Sendable (String) -> NameAnswer
    private let state: Mutex<State>

    /// - Parameters:
    ///   - lanes: how many lookups can run at a time.
    ///   - answerLifetime: how long addresses are believed; zero asks every time.
    ///   - failureLifetime: the same for failures.
    ///   - lookup: may block.
    public init(
        lanes: Int = 8, answerLifetime: Duration = .seconds(5), failureLifetime: Duration = .seconds(1),
        lookup: @escaping @Sendable (String) -> NameAnswer = Resolver.askSystem
    ) {
        precondition(lanes > 0)
        // Their own threads (the default target), so that a slow lookup takes none from the loops.
        self.lanes = (0..<lanes).map { DispatchQueue(label: "atsgate.names.\($0)") }
        self.answerLifetime = answerLifetime.clampedNanoseconds
        self.failureLifetime = failureLifetime.clampedNanoseconds
        self.lookup = lookup
        state = Mutex(State(load: Array(repeating: 0, count: lanes)))
    }

    public func answer(for host: String, later: @escaping @Sendable (NameAnswer) -> Void) -> NameAnswer? {
        if let address = HostAddress(host) { return .addresses([address]) }
        let now = EventLoop.monotonicNanoseconds()
        let (known, lane) = state.withLock { state -> (NameAnswer?, Int?) in
            if let kept = state.kept[host], kept.until > now { return (kept.answer, nil) }
            if state.waiting[host] != nil {
                state.waiting[host]?.append(later)
                return (nil, nil)
            }
            state.waiting[host] = [later]
            let lane = state.load.indices.min { state.load[$0] < state.load[$1] } ?? 0
            state.load[lane] += 1
            return (nil, lane)
        }
        if let lane { lanes[lane].async { self.look(host, in: lane) } }
        return known
    }

    /// Forgets what is kept; lookups under way are not disturbed.
    public func forgetAll() {
        state.withLock { $0.kept = [:] }
    }

    private func look(_ host: String, in lane: Int) {
        let answer = lookup(host)
        let now = EventLoop.monotonicNanoseconds()
        let lifetime =
            switch answer {
            case .addresses: answerLifetime
            case .failed: failureLifetime
            }
        let waiting = state.withLock { state in
            state.load[lane] -= 1
            if lifetime > 0 { Self.keep(answer, for: host, at: now, lifetime: lifetime, in: &state) }
            return state.waiting.removeValue(forKey: host) ?? []
        }
        for waiter in waiting { waiter(answer) }
    }

    private static func keep(
        _ answer: NameAnswer, for host: String, at now: Int64, lifetime: Int64, in state: inout State
    ) {
        if state.kept.count >= keptNames { state.kept = state.kept.filter { $0.value.until > now } }
        if state.kept.count >= keptNames { state.kept = [:] }
        state.kept[host] = Kept(answer: answer, until: now + min(lifetime, .max - now))
    }

    /// getaddrinfo(3) for stream sockets. Blocks.
    public static let askSystem: @Sendable (String) -> NameAnswer = { host in
        var found = [cpoll_address](repeating: cpoll_address(), count: addressesPerName)
        var count: Int32 = 0
        let code = cpoll_lookup(host, &found, Int32(found.count), &count)
        guard code == 0 else { return .failed(code: code) }
        return .addresses(found.prefix(Int(count)).map { HostAddress($0) })
    }

    private static let keptNames = 1_024
    /// More than happy eyeballs would ever come to try.
    private static let addressesPerName = 32
}
