/// A number or a time on its way into JSON, in memory of its own: at most ``limit`` bytes, which the writer keeps to.
public struct ShortText {
    @usableFromInline let room: UnsafeMutableBufferPointer<UInt8>
    @usableFromInline var count = 0

    /// Bytes that fit: the longest text is a span of 20 characters or a quoted time of 26.
    public static let limit = 32

    /// - Parameter room: memory for ``limit`` bytes.
    @inlinable
    init(_ room: UnsafeMutableBufferPointer<UInt8>) {
        self.room = room
    }

    @inlinable var written: UnsafeMutableBufferPointer<UInt8>.SubSequence { room[..<count] }

    @inlinable
    public mutating func byte(_ byte: UInt8) {
        room.initializeElement(at: count, to: byte)
        count += 1
    }

    /// Writes a whole number.
    @inlinable
    public mutating func number(_ value: Int64) {
        if value < 0 { byte(UInt8(ascii: "-")) }
        let magnitude = value.magnitude
        var length = 1
        var rest = magnitude / 10
        while rest > 0 {
            length += 1
            rest /= 10
        }
        digits(magnitude, count: length)
    }

    /// Writes exactly `length` decimal digits, zeros in front, higher digits dropped.
    @inlinable
    public mutating func digits(_ value: UInt64, count length: Int) {
        var rest = value
        for index in (count..<count + length).reversed() {
            room.initializeElement(at: index, to: UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10))
            rest /= 10
        }
        count += length
    }
}
