import Dispatch
import NetLoop
import Synchronization

/// How connections and loads go together.
enum Manner: Sendable {
    /// Load after load on each connection, from when all of them stand.
    case keepAlive
    /// Connection, load, end, again and again.
    case fresh
    /// One connection, one load.
    case once
    /// Connections without loads.
    case hold
}

/// One run: crews on as many loops as were asked for.
final class Run: Sendable {
    private let errand: Errand
    private let manner: Manner
    private let counts: [Int]
    private let loops: [EventLoop]
    private let crews: [LoopLocal<Crew>]

    /// - Throws: ``NetError`` when the system grants no loop.
    init(_ errand: Errand, manner: Manner, connections: Int, loops count: Int = 1) throws(NetError) {
        self.errand = errand
        self.manner = manner
        var loops: [EventLoop] = []
        for index in 0..<count { loops.append(try EventLoop(index: index)) }
        self.loops = loops
        crews = loops.map { LoopLocal<Crew>($0) }
        counts = (0..<count).map { connections / count + ($0 < connections % count ? 1 : 0) }
    }

    /// Runs until the time is up, or until there is nothing left to do. Blocks.
    func measure(seconds: Double) -> Figures {
        let group = DispatchGroup()
        let total = Mutex(Figures())
        for (index, loop) in loops.enumerated() {
            group.enter()
            let (errand, manner, count, seat) = (errand, manner, counts[index], crews[index])
            loop.submit { loop in
                let crew = Crew(errand, manner: manner, count: count) { figures in
                    total.withLock { $0.add(figures) }
                    group.leave()
                }
                seat.place(crew, on: loop)
                crew.start(seconds: seconds, on: loop)
            }
        }
        group.wait()
        return total.withLock { $0 }
    }

    /// The connections that still stand. Blocks.
    func remaining() -> Figures {
        let group = DispatchGroup()
        let total = Mutex(Figures())
        for (loop, seat) in zip(loops, crews) {
            group.enter()
            loop.submit { loop in
                if let crew = seat.value(on: loop) { total.withLock { $0.add(crew.figures) } }
                group.leave()
            }
        }
        group.wait()
        return total.withLock { $0 }
    }
}
