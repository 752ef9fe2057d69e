/// Bytes from a network, read with every index checked in release builds too.
///
/// `UnsafeRawBufferPointer` checks its indices in debug builds only; all reading of untrusted bytes goes through here.
/// Negative indices fail the same single comparison as those past the end.
/// Valid only as long as the buffer it was made of.
struct ByteView {
    private let base: UnsafeRawPointer
    let count: Int

    @inline(__always)
    init(_ buffer: UnsafeRawBufferPointer) {
        // An empty buffer may have no address; nothing is read from the one that stands in for it.
        base = buffer.baseAddress ?? UnsafeRawPointer(("" as StaticString).utf8Start)
        count = buffer.count
    }

    subscript(index: Int) -> UInt8 {
        @inline(__always) get {
            precondition(UInt(bitPattern: index) < UInt(bitPattern: count))
            return base.load(fromByteOffset: index, as: UInt8.self)
        }
    }

    /// The bytes of `range`, to be copied.
    @inline(__always)
    func slice(_ range: Range<Int>) -> UnsafeRawBufferPointer {
        precondition(range.lowerBound >= 0 && range.upperBound <= count)
        return UnsafeRawBufferPointer(start: base + range.lowerBound, count: range.count)
    }

    /// The view without its first `count` bytes.
    func dropFirst(_ count: Int) -> ByteView { ByteView(slice(count..<self.count)) }

    /// Eight bytes from `index`, the first one lowest.
    @inline(__always)
    func word(at index: Int) -> UInt64 {
        precondition(index >= 0 && index &+ 8 <= count)
        return UInt64(littleEndian: base.loadUnaligned(fromByteOffset: index, as: UInt64.self))
    }

    /// The first byte in `start..<end` that is a hit, or `end`. Looks at sixteen bytes at a time.
    ///
    /// - Parameters:
    ///   - marks: tells the hits among sixteen bytes. It compares vectors with vectors only: with a number on one side
    ///     Swift 6.3 compares byte by byte, ten times slower.
    ///   - isHit: says the same of one byte.
    @inline(__always)
    func firstHit(from start: Int, to end: Int, marks: (Block) -> BlockMask, isHit: (UInt8) -> Bool) -> Int {
        // Checked once here, so the loops need no check of their own.
        precondition(start >= 0 && start <= end && end <= count)
        var index = start
        while index < end, index &+ 16 <= count {
            let block = base.loadUnaligned(fromByteOffset: index, as: Block.self)
            // Bytes after `end` may have been looked at too.
            if let offset = Self.firstLane(marks(block)) { return min(index &+ offset, end) }
            index &+= 16
        }
        while index < end, !isHit(self[index]) { index &+= 1 }
        return min(index, end)
    }

    typealias Block = SIMD16<UInt8>
    typealias BlockMask = SIMDMask<SIMD16<Int8>>

    /// The number of the first lane that is set.
    @inline(__always)
    private static func firstLane(_ mask: BlockMask) -> Int? {
        let halves = unsafeBitCast(mask, to: SIMD2<UInt64>.self)
        guard halves[0] | halves[1] != 0 else { return nil }
        let low = UInt64(littleEndian: halves[0])
        let high = UInt64(littleEndian: halves[1])
        return low != 0 ? low.trailingZeroBitCount &>> 3 : 8 &+ high.trailingZeroBitCount &>> 3
    }
}
