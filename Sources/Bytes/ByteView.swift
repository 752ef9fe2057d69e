/// Bytes from a network, read with a check of each index in release builds too.
///
/// `UnsafeRawBufferPointer` checks its indices in debug builds only, so all untrusted bytes are read through this type;
/// `.ci/unchecked.sh` refuses other subscripts. A wrong index ends the process instead of reading other memory. Valid
/// only as long as the buffer that it was made of.
@frozen public struct ByteView {
    @usableFromInline let base: UnsafeRawPointer
    public let count: Int

    @inlinable @inline(__always)
    public init(_ buffer: UnsafeRawBufferPointer) {
        // An empty buffer may have no address. Nothing is read from its replacement.
        base = buffer.baseAddress ?? UnsafeRawPointer(("" as StaticString).utf8Start)
        count = buffer.count
    }

    @inlinable public subscript(index: Int) -> UInt8 {
        @inline(__always) get {
            // As unsigned numbers, so that negative indices fail the same comparison.
            precondition(UInt(bitPattern: index) < UInt(bitPattern: count))
            return base.load(fromByteOffset: index, as: UInt8.self)
        }
    }

    /// Returns the bytes of `range`. Valid as long as the view.
    @inlinable @inline(__always)
    public func slice(_ range: Range<Int>) -> UnsafeRawBufferPointer {
        precondition(range.lowerBound >= 0 && range.upperBound <= count)
        return UnsafeRawBufferPointer(start: base + range.lowerBound, count: range.count)
    }

    /// Returns the first `count` bytes. Valid as long as the view.
    @inlinable @inline(__always)
    public func slice(upTo count: Int) -> UnsafeRawBufferPointer { slice(0..<count) }

    /// Returns the bytes from `start` to the end. Valid as long as the view.
    @inlinable @inline(__always)
    public func slice(from start: Int) -> UnsafeRawBufferPointer { slice(start..<count) }

    /// Returns a view without the first `count` bytes.
    @inlinable @inline(__always)
    public func dropFirst(_ count: Int) -> ByteView { ByteView(slice(from: count)) }

    /// The number in the two bytes at `index`, in network order.
    @inlinable @inline(__always)
    public func number16(at index: Int) -> Int { Int(self[index]) << 8 | Int(self[index + 1]) }

    /// Eight bytes from `index`; the first one is the lowest.
    @inlinable @inline(__always)
    public func word(at index: Int) -> UInt64 {
        precondition(index >= 0 && index &+ 8 <= count)
        return UInt64(littleEndian: base.loadUnaligned(fromByteOffset: index, as: UInt64.self))
    }

    /// Returns the index of the first matching byte in `start..<end`, or `end`. Tests sixteen bytes at a time.
    ///
    /// - Parameters:
    ///   - marks: marks the matching bytes among sixteen. Must compare vectors with vectors only: if one side is a
    ///     number, Swift 6.3 compares byte by byte, which is ten times slower.
    ///   - isHit: the same test for one byte.
    @inlinable @inline(__always)
    public func firstHit(from start: Int, to end: Int, marks: (Block) -> BlockMask, isHit: (UInt8) -> Bool) -> Int {
        // Checked once here, so that the loops need no check of their own.
        precondition(start >= 0 && start <= end && end <= count)
        var index = start
        while index < end, index &+ 16 <= count {
            let block = base.loadUnaligned(fromByteOffset: index, as: Block.self)
            // The block may contain bytes after `end`.
            if let offset = Self.firstLane(marks(block)) { return min(index &+ offset, end) }
            index &+= 16
        }
        while index < end, !isHit(self[index]) { index &+= 1 }
        return min(index, end)
    }

    /// Returns the index of the first `byte` in `start..<end`, or `end`.
    @inlinable @inline(__always)
    public func first(_ byte: UInt8, from start: Int, to end: Int) -> Int {
        firstHit(from: start, to: end) {
            $0 .== Block(repeating: byte)
        } isHit: {
            $0 == byte
        }
    }

    public typealias Block = SIMD16<UInt8>
    public typealias BlockMask = SIMDMask<SIMD16<Int8>>

    /// The number of the first lane that is set.
    @inlinable @inline(__always)
    static func firstLane(_ mask: BlockMask) -> Int? {
        let halves = unsafeBitCast(mask, to: SIMD2<UInt64>.self)
        guard halves[0] | halves[1] != 0 else { return nil }
        let low = UInt64(littleEndian: halves[0])
        let high = UInt64(littleEndian: halves[1])
        return low != 0 ? low.trailingZeroBitCount &>> 3 : 8 &+ high.trailingZeroBitCount &>> 3
    }
}
