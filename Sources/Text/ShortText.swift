/// A number or a time to be written as JSON, in its own memory: at most ``limit`` bytes, which the writer must not
/// exceed.
public struct ShortText {
    @usableFromInline let room: UnsafeMutableBufferPointer<UInt8>
    @usableFromInline var count = 0

    /// Capacity in bytes: the longest text is a duration of 20 characters or a quoted time of 26.
    public static let limit = 32

    /// - Parameter room: memory for ``limit`` bytes.
    @inlinable
    init(_ room: UnsafeMutableBufferPointer<UInt8>) {
        self.room = room
    }

    @inlinable var written: UnsafeMutableBufferPointer<UInt8> { UnsafeMutableBufferPointer(rebasing: room[..<count]) }

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
        var limit: UInt64 = 10
        while length < 20, magnitude >= limit {
            length += 1
            limit &*= 10
        }
        digits(magnitude, count: length)
    }

    /// Writes exactly `length` decimal digits with leading zeros; higher digits are dropped.
    @inlinable
    public mutating func digits(_ value: UInt64, count length: Int) {
        var rest = value
        var index = count + length
        while index > count {
            index -= 1
            let (quotient, digit) = (rest / 10, rest % 10)
            room.initializeElement(at: index, to: UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: digit))
            rest = quotient
        }
        count += length
    }
}
