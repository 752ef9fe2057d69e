import Dispatch
import NetLoop
import Synchronization

/// What the loops of a gate answered when they were asked whether they still turn.
public struct GatePulse: Sendable, Hashable {
    /// Loops that did not answer in time.
    public var silentLoops: Int
    /// Connections of clients, those of silent loops not counted.
    public var openConnections: Int
}

extension Gate {
    /// Asks every loop, and waits for the answers. Blocks for `patience` at most: not for loops.
    ///
    /// A loop that is busy is asked once, however many want to know: who comes later waits for what is left of the
    /// first one's time.
    public func pulse(within patience: Duration) -> GatePulse {
        let round = pulses.withLock { last in
            if let last, !last.isOver { return last }
            let next = PulseRound(loops: workers.count)
            last = next
            for member in workers {
                member.loop.submit { loop in next.note(member.worker.value(on: loop)?.openClients ?? 0) }
            }
            return next
        }
        return round.result(within: patience)
    }
}

/// One question to all loops.
final class PulseRound: Sendable {
    private let began = DispatchTime.now()
    private let loops: Int
    private let missing = DispatchGroup()
    private let answers = Atomic(0)
    private let connections = Atomic(0)

    init(loops: Int) {
        self.loops = loops
        for _ in 0..<loops { missing.enter() }
    }

    /// Everybody has answered.
    var isOver: Bool { answers.load(ordering: .acquiring) == loops }

    /// One loop's answer.
    func note(_ clients: Int) {
        connections.add(clients, ordering: .relaxed)
        answers.add(1, ordering: .acquiringAndReleasing)
        missing.leave()
    }

    /// - Parameter patience: counted from when the question was put.
    func result(within patience: Duration) -> GatePulse {
        _ = missing.wait(timeout: began + .milliseconds(Int(patience / .milliseconds(1))))
        return GatePulse(
            silentLoops: loops - answers.load(ordering: .acquiring),
            openConnections: connections.load(ordering: .relaxed))
    }
}
