import Bytes
import CPoll
import Dispatch

/// Gives the blocks of byte queues back to the system once no queue has wanted one for a second. Belongs to one loop.
final class SpareBlocks {
    private var handedOutAtLastLook = 0
    private var timer: LoopTimer?

    /// Costs two atomic reads when there is nothing to do.
    func look(on loop: isolated EventLoop) {
        guard timer == nil, BlockPool.shared.waitingBytes > 0 else { return }
        let timer = LoopTimer { [weak self] in self?.judge(on: loop) }
        self.timer = timer
        handedOutAtLastLook = BlockPool.shared.handedOut
        timer.arm(after: Self.calm, on: loop)
    }

    /// The loop stops.
    func end() { timer = nil }

    private func judge(on loop: isolated EventLoop) {
        let handedOut = BlockPool.shared.handedOut
        guard handedOut == handedOutAtLastLook else {
            handedOutAtLastLook = handedOut
            timer?.arm(after: Self.calm, on: loop)
            return
        }
        timer = nil
        // Some milliseconds of work: not on the loop.
        DispatchQueue.global(qos: .utility).async {
            BlockPool.shared.trim()
            cpoll_trim_memory()
        }
    }

    private static let calm = Duration.seconds(1)
}
