/// 128 bits, ordered as PostgreSQL orders its `uuid`: by their bytes, the first one first.
public struct PostgresUUID: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The first eight bytes as a number, the highest first.
    public let high: UInt64
    /// The last eight.
    public let low: UInt64

    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// The first 16 of `bytes`; nil when there are fewer.
    public init?(_ bytes: some Sequence<UInt8>) {
        var (high, low, count) = (UInt64(0), UInt64(0), 0)
        for byte in bytes.prefix(16) {
            high = high << 8 | low >> 56
            low = low << 8 | UInt64(byte)
            count += 1
        }
        guard count == 16 else { return nil }
        self.init(high: high, low: low)
    }

    /// The form that RFC 9562 section 4 gives, in upper or lower case; nil for all else.
    public init?(text: some StringProtocol) {
        var (high, low, digits) = (UInt64(0), UInt64(0), 0)
        for (index, byte) in text.utf8.enumerated() {
            if [8, 13, 18, 23].contains(index) {
                guard byte == UInt8(ascii: "-") else { return nil }
                continue
            }
            guard let value = Character(Unicode.Scalar(byte)).hexDigitValue, digits < 32 else { return nil }
            high = high << 4 | low >> 60
            low = low << 4 | UInt64(value)
            digits += 1
        }
        guard digits == 32 else { return nil }
        self.init(high: high, low: low)
    }

    public var bytes: [UInt8] {
        withUnsafeBytes(of: high.bigEndian) { Array($0) } + withUnsafeBytes(of: low.bigEndian) { Array($0) }
    }

    public var description: String {
        let digits = bytes.map { $0 < 16 ? "0" + String($0, radix: 16) : String($0, radix: 16) }
        return [0..<4, 4..<6, 6..<8, 8..<10, 10..<16].map { digits[$0].joined() }.joined(separator: "-")
    }

    public static func < (one: Self, other: Self) -> Bool {
        one.high == other.high ? one.low < other.low : one.high < other.high
    }
}
