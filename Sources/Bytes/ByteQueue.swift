import Synchronization

/// A growable FIFO queue of bytes that wait to be parsed, decrypted or written.
///
/// A class, so that a socket, a TLS machine and a session can share one queue without copying it. It belongs to one
/// event loop and is not Sendable. An empty queue releases its storage, so an idle connection holds none. Large storage
/// comes from a ``BlockPool`` and returns to it; the next allocation starts with the size that was last needed.
public final class ByteQueue {
    // Unchecked: no other code runs during an access. Each field is a number that is loaded or stored, and
    // `append(limit:fill:)` calls out only between two accesses. Of the 200 to 250 checks for each forwarded load,
    // these fields would cause 110 to 160, a fifth of its instructions (callgrind, release build).
    @exclusivity(unchecked) @usableFromInline var storage: UnsafeMutableRawPointer?
    @exclusivity(unchecked) @usableFromInline var capacity = 0
    @exclusivity(unchecked) @usableFromInline var head = 0
    @exclusivity(unchecked) @usableFromInline var tail = 0
    /// The first storage has 1 << this many bytes: the size that was needed last time.
    @exclusivity(unchecked) private var expectedShift = ByteQueue.firstShift

    public init() {}

    deinit { if let storage { BlockPool.shared.giveBack(storage, capacity) } }

    /// Number of waiting bytes.
    @inlinable public var count: Int { tail - head }

    @inlinable public var isEmpty: Bool { tail == head }

    /// The waiting bytes. Valid until the next call that changes the queue.
    @inlinable public var bytes: UnsafeRawBufferPointer {
        guard let storage, tail > head else { return UnsafeRawBufferPointer(start: nil, count: 0) }
        return UnsafeRawBufferPointer(start: storage + head, count: tail - head)
    }

    @inlinable public func append(_ more: UnsafeRawBufferPointer) {
        guard let source = more.baseAddress, more.count > 0 else { return }
        reserve(more.count).copyMemory(from: source, byteCount: more.count)
        tail += more.count
    }

    @inlinable public func append(_ more: [UInt8]) {
        more.withUnsafeBytes { append($0) }
    }

    @inlinable public func append(_ text: String) {
        var text = text
        text.withUTF8 { append(UnsafeRawBufferPointer($0)) }
    }

    /// Appends up to `limit` bytes that `fill` writes in place; `fill` returns the number written.
    ///
    /// - Precondition: `fill` returns a number between 0 and `limit`.
    @inlinable public func append(limit: Int, fill: (UnsafeMutableRawBufferPointer) -> Int) {
        let room = UnsafeMutableRawBufferPointer(start: reserve(limit), count: limit)
        let written = fill(room)
        precondition(written >= 0 && written <= limit)
        tail += written
    }

    /// Removes the first `count` bytes after they were processed.
    @inlinable public func consume(_ count: Int) {
        precondition(count >= 0 && count <= tail - head)
        head += count
        if head == tail { reset() }
    }

    /// Removes all bytes and releases large storage; ``releaseIfEmpty()`` releases the rest.
    @inlinable public func removeAll() { reset() }

    @inlinable func reset() {
        if capacity > Self.keptCapacity { return releaseLarge() }
        head = 0
        tail = 0
    }

    /// Bulk data comes in waves of similar size: remembering it avoids the copies of growing by doubling. An unneeded
    /// size is halved each time.
    @usableFromInline func releaseLarge() {
        let needed = UInt8(Int.bitWidth - max(tail - 1, 1).leadingZeroBitCount)
        let next = needed < expectedShift ? expectedShift - 1 : needed
        expectedShift = min(max(next, Self.firstShift), Self.mostExpectedShift)
        release()
    }

    /// Releases the storage of an empty queue. Called for connections that have become idle.
    @inlinable public func releaseIfEmpty() {
        if isEmpty { release() }
    }

    @usableFromInline func release() {
        if let storage { BlockPool.shared.giveBack(storage, capacity) }
        storage = nil
        capacity = 0
        head = 0
        tail = 0
    }

    /// Makes room for `count` more bytes and returns its start.
    @inlinable func reserve(_ count: Int) -> UnsafeMutableRawPointer {
        if let storage, capacity - tail >= count { return storage + tail }
        return grow(count)
    }

    @usableFromInline func grow(_ count: Int) -> UnsafeMutableRawPointer {
        let waiting = tail - head
        if let storage, head > 0, capacity - waiting >= count, head >= waiting {
            storage.copyMemory(from: storage + head, byteCount: waiting)
            head = 0
            tail = waiting
            return storage + tail
        }
        var wanted = max(capacity, 1 << Int(expectedShift))
        while wanted - waiting < count { wanted *= 2 }
        let larger = BlockPool.shared.take(wanted)
        if let storage {
            larger.copyMemory(from: storage + head, byteCount: waiting)
            BlockPool.shared.giveBack(storage, capacity)
        }
        storage = larger
        capacity = wanted
        head = 0
        tail = waiting
        return larger + waiting
    }

    /// 2 KiB: the first allocation of a queue.
    private static let firstShift: UInt8 = 11
    /// 128 KiB: a loop's read buffer plus the overhead of encryption, rounded up.
    private static let mostExpectedShift: UInt8 = 17
    /// Storage up to this size, in bytes, is kept while the queue is empty between two loads.
    @usableFromInline static let keptCapacity = 4_096
}

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
