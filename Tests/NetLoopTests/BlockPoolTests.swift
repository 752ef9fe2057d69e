import Bytes
import Testing

/// The process has one pool, so no other test may use blocks at the same time.
@Suite("spare blocks", .serialized)
struct BlockPoolTests {
    @Test("a limited number of blocks is kept when many queues empty at once, and trimming frees them")
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
