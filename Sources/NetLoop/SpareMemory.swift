import Bytes
import CPoll
import Dispatch

/// Returns freed memory to the system after a wave of connections. Handshakes briefly need much memory, and the
/// allocator would keep it forever. Belongs to one loop.
public final class SpareMemory {
    /// Connections opened or closed since memory was last returned.
    private var turnover = 0
    private var turnoverAtLastLook = 0
    private var timer: LoopTimer?

    public init() {}

    /// Counts a connection that was accepted or closed.
    public func connectionCameOrWent(on loop: isolated EventLoop) {
        turnover += 1
        guard turnover >= Self.wave, timer?.isArmed != true else { return }
        let timer = timer ?? LoopTimer { [weak self] in self?.look(on: loop) }
        self.timer = timer
        timer.arm(after: Self.calm, on: loop)
    }

    private func look(on loop: isolated EventLoop) {
        guard turnover == turnoverAtLastLook else {
            turnoverAtLastLook = turnover
            timer?.arm(after: Self.calm, on: loop)
            return
        }
        turnover = 0
        turnoverAtLastLook = 0
        // Takes some milliseconds, so it does not run on the loop.
        DispatchQueue.global(qos: .utility).async { cpoll_trim_memory() }
    }

    /// The number of connections that make a wave; fewer are not worth the work.
    private static let wave = 256
    /// The time without a new or closed connection after which the wave is over.
    private static let calm = Duration.milliseconds(500)
}

/// Returns unused blocks of byte queues to the system after a second without demand. Belongs to one loop.
final class SpareBlocks {
    private var handedOutAtLastLook = 0
    private var timer: LoopTimer?

    /// Starts the timer if blocks are unused. Otherwise costs two atomic reads.
    func look(on loop: isolated EventLoop) {
        guard timer == nil, BlockPool.shared.waitingBytes > 0 else { return }
        let timer = LoopTimer { [weak self] in self?.judge(on: loop) }
        self.timer = timer
        handedOutAtLastLook = BlockPool.shared.handedOut
        timer.arm(after: Self.calm, on: loop)
    }

    /// Cancels the timer, because the loop stops.
    func end() { timer = nil }

    private func judge(on loop: isolated EventLoop) {
        let handedOut = BlockPool.shared.handedOut
        guard handedOut == handedOutAtLastLook else {
            handedOutAtLastLook = handedOut
            timer?.arm(after: Self.calm, on: loop)
            return
        }
        timer = nil
        // Takes some milliseconds, so it does not run on the loop.
        DispatchQueue.global(qos: .utility).async {
            BlockPool.shared.trim()
            cpoll_trim_memory()
        }
    }

    private static let calm = Duration.seconds(1)
}
