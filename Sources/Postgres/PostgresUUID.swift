import Text

/// 128 bits, ordered like PostgreSQL's `uuid`: byte by byte, the first byte first.
public struct PostgresUUID: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The first eight bytes as a number, highest first.
    public let high: UInt64
    /// The last eight bytes.
    public let low: UInt64

    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// Uses the first 16 of `bytes`, for example of a hash. Missing bytes are 0.
    public init(_ bytes: some Sequence<UInt8>) {
        var parts = (high: UInt64(0), low: UInt64(0))
        for (index, byte) in bytes.prefix(16).enumerated() {
            let shift = UInt64(7 - index % 8) * 8
            if index < 8 { parts.high |= UInt64(byte) << shift } else { parts.low |= UInt64(byte) << shift }
        }
        self.init(high: parts.high, low: parts.low)
    }

    public var bytes: [UInt8] {
        withUnsafeBytes(of: high.bigEndian) { Array($0) } + withUnsafeBytes(of: low.bigEndian) { Array($0) }
    }

    public var description: String {
        let bytes = bytes
        return [0..<4, 4..<6, 6..<8, 8..<10, 10..<16].map { bytes[$0].hexadecimal }.joined(separator: "-")
    }

    public static func < (one: Self, other: Self) -> Bool {
        one.high == other.high ? one.low < other.low : one.high < other.high
    }
}
