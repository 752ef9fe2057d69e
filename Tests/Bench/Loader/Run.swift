import Dispatch
import NetLoop
import Synchronization

/// How connections and loads go together.
enum Manner: Sendable, Equatable {
    /// Load after load on each connection, from when all of them stand.
    case keepAlive
    /// Connection, load, end, again and again.
    case fresh
    /// The same, once for each script.
    case each
    /// One connection, one load.
    case once
    /// One connection after the other until there is an answer.
    case first
    /// Connections that stay, without a load or after one.
    case hold(asks: Bool)

    var isHolding: Bool {
        if case .hold = self { true } else { false }
    }
}

/// What a run is to do.
struct Plan: Sendable {
    /// In turns, if there is more than one.
    var scripts: [RequestScript]
    var manner: Manner
    /// All loops together.
    var connections = 1
    var loops = 1
    /// Good answers after which each loop ends; nil goes by time alone.
    var loads: Int?
    /// Between an answer and the next load of its connection.
    var pause: Duration?
    /// When the time is up, loads under way are waited for, so that every one that was begun is counted.
    var finishesLoads = false
}

/// One run: groups of connections on as many loops as were asked for.
final class Run: Sendable {
    private let plan: Plan
    private let counts: [Int]
    private let loops: [EventLoop]
    private let connectionGroups: [LoopLocal<ConnectionGroup>]

    /// - Throws: ``NetError`` when the system grants no loop.
    init(_ plan: Plan) throws(NetError) {
        self.plan = plan
        let count = plan.loops
        var loops: [EventLoop] = []
        for index in 0..<count { loops.append(try EventLoop(index: index)) }
        self.loops = loops
        connectionGroups = loops.map { LoopLocal<ConnectionGroup>($0) }
        counts = (0..<count).map { plan.connections / count + ($0 < plan.connections % count ? 1 : 0) }
    }

    /// Runs until the time is up, or until there is nothing left to do. Blocks.
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

    /// The connections that still stand. Blocks.
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
