import Synchronization

/// Blocks of memory that queues have done with and will soon want again.
///
/// Bulk fills and empties a queue thousands of times a second. Asking the allocator each time means that it gives pages
/// back to the system and faults them in again: one `madvise` and up to 32 page faults for every 64 KiB. The pool is one
/// for the process, because a lock that is taken twice per 64 KiB costs nothing beside copying them, and because a block
/// may come back on another thread than the one that took it.
public final class BlockPool: Sendable {
    public static let shared = BlockPool()

    /// Blocks that wait, by size. Each begins with the address of the next one: 0 ends the chain.
    private struct FreeLists {
        var first = [UInt](repeating: 0, count: BlockPool.sizeClassCount)
        /// How many there are of each size.
        var counts = [Int](repeating: 0, count: BlockPool.sizeClassCount)
        var bytes = 0
    }

    private let freeLists = Mutex(FreeLists())
    /// Blocks handed out so far: who sees this standing still may give back what waits.
    private let taken = Atomic<Int>(0)
    private let waiting = Atomic<Int>(0)

    /// Bytes that wait to be wanted again.
    public var waitingBytes: Int { waiting.load(ordering: .relaxed) }

    /// How many blocks were handed out since the start.
    public var handedOut: Int { taken.load(ordering: .relaxed) }

    /// A block of `byteCount` bytes, a power of two. To be given back with the same number.
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
            guard freeLists.bytes + byteCount <= Self.mostBytes, freeLists.counts[sizeClass] < Self.mostBlocks else {
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

    /// Frees all that waits.
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

    /// nil for sizes that are left to the allocator.
    private static func sizeClass(for byteCount: Int) -> Int? {
        let shift = byteCount.trailingZeroBitCount
        return shift < smallestShift || shift > largestShift ? nil : shift - smallestShift
    }

    /// 2 KiB, what a queue begins with: of blocks over a kilobyte the allocator keeps none at hand for a thread (glibc's
    /// tcache_max), and a load takes three. From there they cost it 2,150 instructions, from here 860 (callgrind).
    private static let smallestShift = 11
    /// 512 KiB: the storage of a queue at high water.
    private static let largestShift = 19
    private static let sizeClassCount = largestShift - smallestShift + 1
    /// Of one size: what forty loads at once give back. A wave of new connections would leave thousands of small ones.
    private static let mostBlocks = 128
    /// What may wait, in bytes: two loops with eight busy directions each, at 256 KiB.
    private static let mostBytes = 4_194_304
}
