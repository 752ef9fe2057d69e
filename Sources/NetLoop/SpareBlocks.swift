import Bytes
import CPoll
import Dispatch

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
