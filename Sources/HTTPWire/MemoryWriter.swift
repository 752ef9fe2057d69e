import Bytes

/// Writes into memory of fixed size. Writing past its end stops the program.
struct MemoryWriter {
    private let room: UnsafeMutableRawBufferPointer
    /// Bytes written.
    private(set) var used = 0

    init(_ room: UnsafeMutableRawBufferPointer) { self.room = room }

    @inline(__always)
    mutating func put(_ bytes: UnsafeRawBufferPointer) {
        guard let source = bytes.baseAddress, let start = room.baseAddress else { return }
        precondition(bytes.count <= room.count &- used)
        (start + used).copyMemory(from: source, byteCount: bytes.count)
        used &+= bytes.count
    }

    @inline(__always)
    mutating func put(_ text: StaticString) {
        put(UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    /// Writes text. The label keeps literals out of this overload, which would cost 90 instructions each time
    /// (callgrind).
    mutating func put(text: String) {
        var text = text
        text.withUTF8 { put(UnsafeRawBufferPointer($0)) }
    }

    @inline(__always)
    mutating func put(_ byte: UInt8) {
        precondition(used < room.count)
        room[used] = byte
        used &+= 1
    }

    /// Replaces the control characters written since `start` with spaces.
    mutating func blankControls(from start: Int) {
        let written = ByteView(UnsafeRawBufferPointer(room))
        var index = written.firstControl(from: start, to: used)
        while index < used {
            room[index] = Ascii.space
            index = written.firstControl(from: index, to: used)
        }
    }

    /// Writes eight bytes, lowest first.
    @inline(__always)
    mutating func put(word: UInt64) {
        precondition(room.count &- used >= 8)
        room.storeBytes(of: word.littleEndian, toByteOffset: used, as: UInt64.self)
        used &+= 8
    }

    /// Writes `number` in digits of `radix` (10 or 16), at most 20 of them.
    mutating func put<Number: FixedWidthInteger & UnsignedInteger>(_ number: Number, radix: Number) {
        var divisor: Number = 1
        while number / divisor >= radix { divisor *= radix }
        var rest = number
        while divisor > 0 {
            let digit = UInt8(truncatingIfNeeded: rest / divisor)
            put(digit < 10 ? Ascii.zero &+ digit : 0x57 &+ digit)
            rest %= divisor
            divisor /= radix
        }
    }
}
