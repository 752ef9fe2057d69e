/// Bytes from a network, read with every index checked in release builds too.
///
/// `UnsafeRawBufferPointer` checks its indices in debug builds only; all reading of untrusted bytes goes through here.
/// Valid only as long as the buffer it was made of.
struct ByteView {
    private let buffer: UnsafeRawBufferPointer

    init(_ buffer: UnsafeRawBufferPointer) { self.buffer = buffer }

    var count: Int { buffer.count }

    subscript(index: Int) -> UInt8 {
        @inline(__always) get {
            precondition(index >= 0 && index < buffer.count)
            return buffer[index]
        }
    }

    /// The bytes of `range`, to be copied.
    @inline(__always)
    func slice(_ range: Range<Int>) -> UnsafeRawBufferPointer {
        precondition(range.lowerBound >= 0 && range.upperBound <= buffer.count)
        return UnsafeRawBufferPointer(rebasing: buffer[range])
    }

    /// The view without its first `count` bytes.
    func dropFirst(_ count: Int) -> ByteView { ByteView(slice(count..<buffer.count)) }

    /// Eight bytes from `index`, the first one lowest.
    @inline(__always)
    func word(at index: Int) -> UInt64 {
        precondition(index >= 0 && index &+ 8 <= buffer.count)
        return uncheckedWord(at: index)
    }

    /// The first byte in `start..<end` that is a hit, or `end`. Looks at sixteen bytes at a time.
    ///
    /// - Parameters:
    ///   - marks: sets the high bit of each byte of a word that is a hit; it may mark others too.
    ///   - isHit: says of one byte whether it is a hit.
    @inline(__always)
    func firstHit(from start: Int, to end: Int, marks: (UInt64) -> UInt64, isHit: (UInt8) -> Bool) -> Int {
        // Checked once here, so the loops need no check of their own.
        precondition(start >= 0 && start <= end && end <= buffer.count)
        var index = start
        while index &+ 16 <= end {
            let low = marks(uncheckedWord(at: index))
            let high = marks(uncheckedWord(at: index &+ 8))
            if low | high != 0 {
                if let hit = firstMarked(low, from: index, isHit: isHit) { return hit }
                if let hit = firstMarked(high, from: index &+ 8, isHit: isHit) { return hit }
            }
            index &+= 16
        }
        while index &+ 8 <= end {
            if let hit = firstMarked(marks(uncheckedWord(at: index)), from: index, isHit: isHit) { return hit }
            index &+= 8
        }
        while index < end, !isHit(buffer[index]) { index &+= 1 }
        return index
    }

    /// The first byte marked in the word at `index` that is a hit indeed.
    @inline(__always)
    private func firstMarked(_ marks: UInt64, from index: Int, isHit: (UInt8) -> Bool) -> Int? {
        var marks = marks
        while marks != 0 {
            let marked = index &+ marks.trailingZeroBitCount &>> 3
            if isHit(buffer[marked]) { return marked }
            marks &= marks &- 1
        }
        return nil
    }

    /// Only for indices that the caller has checked.
    @inline(__always)
    private func uncheckedWord(at index: Int) -> UInt64 {
        UInt64(littleEndian: buffer.loadUnaligned(fromByteOffset: index, as: UInt64.self))
    }
}
