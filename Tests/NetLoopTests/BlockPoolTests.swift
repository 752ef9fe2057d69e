import Bytes
import Testing

/// The pool is one for the process: nothing else may want blocks meanwhile.
@Suite("spare blocks", .serialized)
struct BlockPoolTests {
    @Test("of a crowd of queues that empty at once, so many blocks wait, and trimming frees them")
    func crowd() {
        let queues = (0..<300).map { _ in ByteQueue() }
        for queue in queues { queue.append("x") }
        BlockPool.shared.trim()
        for queue in queues {
            queue.consume(1)
            queue.releaseIfEmpty()
        }
        #expect(BlockPool.shared.waitingBytes == 128 * 2048)
        BlockPool.shared.trim()
        #expect(BlockPool.shared.waitingBytes == 0)
    }
}
