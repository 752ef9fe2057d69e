import Synchronization

/// Free blocks of memory that queues will soon need again.
///
/// Bulk data fills and empties a queue thousands of times a second. The allocator would return each block's pages to
/// the system and fault them in again: one `madvise` and up to 32 page faults for every 64 KiB. The process has one
/// pool, because a block may return on another thread. A lock that is taken twice per 64 KiB costs nothing compared
/// with copying them.
public final class BlockPool: Sendable {
    public static let shared = BlockPool()

    /// Free blocks, by size. Each begins with the address of the next one; 0 ends the chain.
    private struct FreeLists {
        var first = [UInt](repeating: 0, count: BlockPool.sizeClassCount)
        /// Number of blocks of each size.
        var counts = [Int](repeating: 0, count: BlockPool.sizeClassCount)
        var bytes = 0
    }

    private let freeLists = Mutex(FreeLists())
    /// Number of blocks handed out so far. If it no longer changes, the caller may free the waiting blocks.
    private let taken = Atomic<Int>(0)
    private let waiting = Atomic<Int>(0)

    /// Bytes of free blocks.
    public var waitingBytes: Int { waiting.load(ordering: .relaxed) }

    /// Number of blocks handed out since the start.
    public var handedOut: Int { taken.load(ordering: .relaxed) }

    /// Returns a block of `byteCount` bytes, a power of two. Give it back with the same number.
    func take(_ byteCount: Int) -> UnsafeMutableRawPointer {
        if let sizeClass = Self.sizeClass(for: byteCount) {
            taken.add(1, ordering: .relaxed)
            if let block = reuse(sizeClass, byteCount) { return block }
        }
        return .allocate(byteCount: byteCount, alignment: 16)
    }

    private func reuse(_ sizeClass: Int, _ byteCount: Int) -> UnsafeMutableRawPointer? {
        let address = freeLists.withLock { freeLists -> UInt in
            let first = freeLists.first[sizeClass]
            guard let block = UnsafeMutableRawPointer(bitPattern: first) else { return 0 }
            freeLists.first[sizeClass] = block.load(as: UInt.self)
            freeLists.counts[sizeClass] -= 1
            freeLists.bytes -= byteCount
            waiting.store(freeLists.bytes, ordering: .relaxed)
            return first
        }
        return UnsafeMutableRawPointer(bitPattern: address)
    }

    func giveBack(_ block: UnsafeMutableRawPointer, _ byteCount: Int) {
        guard let sizeClass = Self.sizeClass(for: byteCount) else { return block.deallocate() }
        let address = UInt(bitPattern: block)
        let isKept = freeLists.withLock { freeLists -> Bool in
            guard freeLists.bytes + byteCount <= Self.maxBytes, freeLists.counts[sizeClass] < Self.maxBlocks else {
                return false
            }
            UnsafeMutableRawPointer(bitPattern: address)?.storeBytes(of: freeLists.first[sizeClass], as: UInt.self)
            freeLists.first[sizeClass] = address
            freeLists.counts[sizeClass] += 1
            freeLists.bytes += byteCount
            waiting.store(freeLists.bytes, ordering: .relaxed)
            return true
        }
        if !isKept { block.deallocate() }
    }

    /// Frees all waiting blocks.
    public func trim() {
        let chains = freeLists.withLock { freeLists -> [UInt] in
            let chains = freeLists.first
            freeLists = FreeLists()
            waiting.store(0, ordering: .relaxed)
            return chains
        }
        for chain in chains {
            var next = chain
            while let block = UnsafeMutableRawPointer(bitPattern: next) {
                next = block.load(as: UInt.self)
                block.deallocate()
            }
        }
    }

    /// nil for sizes that the allocator handles.
    private static func sizeClass(for byteCount: Int) -> Int? {
        let shift = byteCount.trailingZeroBitCount
        return shift < smallestShift || shift > largestShift ? nil : shift - smallestShift
    }

    /// 2 KiB, the first size of a queue. The allocator caches no blocks over a kilobyte per thread (glibc's
    /// tcache_max), and a load takes three. From the allocator they cost a load 2,150 instructions, from this pool 860
    /// (callgrind).
    private static let smallestShift = 11
    /// 512 KiB: the storage of a queue at its high-water mark.
    private static let largestShift = 19
    private static let sizeClassCount = largestShift - smallestShift + 1
    /// Blocks of one size: those of forty concurrent loads. A wave of new connections would leave thousands of small
    /// ones.
    private static let maxBlocks = 128
    /// Bytes of all free blocks: two loops with eight busy directions each, at 256 KiB.
    private static let maxBytes = 4_194_304
}
