import Dispatch
import NetLoop
import Synchronization

/// The answers of a gate's loops to a liveness check.
public struct GatePulse: Sendable, Hashable {
    /// Loops that did not answer in time.
    public var silentLoops: Int
    /// Client connections, without those of silent loops.
    public var openConnections: Int
}

extension Gate {
    /// Checks every loop, and waits for the answers. Blocks for `timeout` at most, so it must not run on a loop.
    ///
    /// Callers share a check that is still running, and wait for the rest of its time, so a busy loop is checked only
    /// once.
    public func pulse(within timeout: Duration) -> GatePulse {
        let round = pulses.withLock { last in
            if let last, !last.isOver { return last }
            let next = PulseRound(loops: workers.count)
            last = next
            for member in workers {
                member.loop.submit { loop in next.note(member.worker.value(on: loop)?.openClients ?? 0) }
            }
            return next
        }
        return round.result(within: timeout)
    }
}

/// One check of all loops.
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

    /// True if all loops have answered.
    var isOver: Bool { answers.load(ordering: .acquiring) == loops }

    /// Counts one loop's answer.
    func note(_ clients: Int) {
        connections.add(clients, ordering: .relaxed)
        answers.add(1, ordering: .acquiringAndReleasing)
        missing.leave()
    }

    /// - Parameter timeout: counted from the start of the check.
    func result(within timeout: Duration) -> GatePulse {
        _ = missing.wait(timeout: began + .milliseconds(Int(timeout / .milliseconds(1))))
        return GatePulse(
            silentLoops: loops - answers.load(ordering: .acquiring),
            openConnections: connections.load(ordering: .relaxed))
    }
}
