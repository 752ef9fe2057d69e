import Dispatch
import NetLoop
import Synchronization

/// The pattern of connections and loads.
enum Manner: Sendable, Equatable {
    /// Load after load on each connection, starting when all are open.
    case keepAlive
    /// A new connection for each load, repeatedly.
    case fresh
    /// The same, once for each script.
    case each
    /// One connection, one load.
    case once
    /// One connection after the other until one gets an answer.
    case first
    /// Connections that stay open, without a load or after one.
    case hold(asks: Bool)

    var isHolding: Bool {
        if case .hold = self { true } else { false }
    }
}

/// The parameters of a run.
struct Plan: Sendable {
    /// Used in turn if there is more than one.
    var scripts: [RequestScript]
    var manner: Manner
    /// The total for all loops.
    var connections = 1
    var loops = 1
    /// The number of good answers after which each loop ends; nil for no limit.
    var loads: Int?
    /// The pause between an answer and the next load of its connection.
    var pause: Duration?
    /// True to wait for loads in flight when the time is up, so that each started one is counted.
    var finishesLoads = false
}

/// One run: groups of connections on the requested number of loops.
final class Run: Sendable {
    private let plan: Plan
    private let counts: [Int]
    private let loops: [EventLoop]
    private let connectionGroups: [LoopLocal<ConnectionGroup>]

    /// - Throws: ``NetError`` if the system grants no loop.
    init(_ plan: Plan) throws(NetError) {
        self.plan = plan
        let count = plan.loops
        var loops: [EventLoop] = []
        for index in 0..<count { loops.append(try EventLoop(index: index)) }
        self.loops = loops
        connectionGroups = loops.map { LoopLocal<ConnectionGroup>($0) }
        counts = (0..<count).map { plan.connections / count + ($0 < plan.connections % count ? 1 : 0) }
    }

    /// Runs until the time is up or nothing is left to do. Blocks.
    func measure(seconds: Double) -> Figures {
        let group = DispatchGroup()
        let total = Mutex(Figures())
        for (index, loop) in loops.enumerated() {
            group.enter()
            let (plan, count, seat) = (plan, counts[index], connectionGroups[index])
            loop.submit { loop in
                let connectionGroup = ConnectionGroup(plan, count: count) { figures in
                    total.withLock { $0.add(figures) }
                    group.leave()
                }
                seat.place(connectionGroup, on: loop)
                connectionGroup.start(seconds: seconds, on: loop)
            }
        }
        group.wait()
        return total.withLock { $0 }
    }

    /// The connections that are still open. Blocks.
    func remaining() -> Figures {
        let group = DispatchGroup()
        let total = Mutex(Figures())
        for (loop, seat) in zip(loops, connectionGroups) {
            group.enter()
            loop.submit { loop in
                if let connectionGroup = seat.value(on: loop) { total.withLock { $0.add(connectionGroup.figures) } }
                group.leave()
            }
        }
        group.wait()
        return total.withLock { $0 }
    }
}
