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
