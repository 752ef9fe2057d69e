import Text

/// A parameter of a statement, sent in PostgreSQL's binary format.
public enum PostgresValue: Sendable, Hashable {
    case null
    case int4(Int32)
    case int8(Int64)
    /// Without U+0000, which PostgreSQL's `text` cannot contain.
    case text(String)
    case bytes([UInt8])
    case uuid(PostgresUUID)
    /// A `timestamptz`, in milliseconds since 1970. Times before the year 1 or after 9999 are clamped.
    case time(milliseconds: Int64)
    case texts([String?])
    case uuids([PostgresUUID?])
    case int8s([Int64?])
    case times(milliseconds: [Int64?])
}

/// Numbers of PostgreSQL's types: catalog pg_type, and fixed in src/include/catalog/pg_type.dat.
enum PostgresType {
    static let bytes: UInt32 = 17
    static let int8: UInt32 = 20
    static let int4: UInt32 = 23
    static let text: UInt32 = 25
    static let time: UInt32 = 1184
    static let uuid: UInt32 = 2950
    static let texts: UInt32 = 1009
    static let int8s: UInt32 = 1016
    static let times: UInt32 = 1185
    static let uuids: UInt32 = 2951
}

extension PostgresValue {
    /// The type's number; 0 leaves it to the server.
    var type: UInt32 {
        switch self {
        case .null: 0
        case .int4: PostgresType.int4
        case .int8: PostgresType.int8
        case .text: PostgresType.text
        case .bytes: PostgresType.bytes
        case .uuid: PostgresType.uuid
        case .time: PostgresType.time
        case .texts: PostgresType.texts
        case .uuids: PostgresType.uuids
        case .int8s: PostgresType.int8s
        case .times: PostgresType.times
        }
    }

    /// Appends the value without its length. Appends nothing for null.
    func append(to bytes: inout [UInt8]) {
        switch self {
        case .null: break
        case .int4(let value): bytes.append(number: value)
        case .int8(let value): bytes.append(number: value)
        case .text(let value): bytes.append(contentsOf: value.utf8)
        case .bytes(let value): bytes.append(contentsOf: value)
        case .uuid(let value): bytes.append(uuid: value)
        case .time(let milliseconds): bytes.append(number: PostgresTime.microseconds(of: milliseconds))
        case .texts(let values):
            bytes.append(values, PostgresType.text) { $0.append(contentsOf: $1.utf8) }
        case .uuids(let values):
            bytes.append(values, PostgresType.uuid) { $0.append(uuid: $1) }
        case .int8s(let values):
            bytes.append(values, PostgresType.int8) { $0.append(number: $1) }
        case .times(let values):
            bytes.append(values, PostgresType.time) { $0.append(number: PostgresTime.microseconds(of: $1)) }
        }
    }
}

extension [UInt8] {
    /// Appends a number, highest byte first, like all numbers of the protocol.
    @inline(__always)
    mutating func append(number: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: number.bigEndian) { append(contentsOf: $0) }
    }

    mutating func append(uuid: PostgresUUID) {
        append(number: uuid.high)
        append(number: uuid.low)
    }

    /// Appends a one-dimensional array. Source: PostgreSQL 15, src/backend/utils/adt/arrayfuncs.c, array_recv: the
    /// number of dimensions, a flag for nulls, and the elements' type; for each dimension its length and first index;
    /// the elements, each after its length.
    fileprivate mutating func append<Value>(
        _ values: [Value?], _ type: UInt32, _ element: (inout [UInt8], Value) -> Void
    ) {
        append(number: Int32(values.isEmpty ? 0 : 1))
        append(number: Int32(values.contains { $0 == nil } ? 1 : 0))
        append(number: type)
        guard !values.isEmpty else { return }
        append(number: Int32(values.count))
        append(number: Int32(1))
        for value in values {
            guard let value else {
                append(number: Int32(-1))
                continue
            }
            let at = count
            append(number: Int32(0))
            element(&self, value)
            let length = Int32(count - at - 4).bigEndian
            Swift.withUnsafeBytes(of: length) { replaceSubrange(at..<at + 4, with: $0) }
        }
    }
}

/// `timestamptz` is microseconds since 2000-01-01 00:00 UTC. Source: PostgreSQL 15, section 8.5, and
/// src/include/datatype/timestamp.h.
enum PostgresTime {
    /// 2000-01-01 in milliseconds since 1970.
    private static let epoch: Int64 = 946_684_800_000
    /// From the start of the year 1 to the end of 9999, which every reader of times supports.
    private static let range: ClosedRange<Int64> = -62_135_596_800_000...253_402_300_799_999

    static func microseconds(of milliseconds: Int64) -> Int64 {
        (min(max(milliseconds, range.lowerBound), range.upperBound) - epoch) * 1_000
    }

    /// Converts microseconds; nil for `infinity`, and for times out of range.
    static func since1970(_ microseconds: Int64) -> Int64? {
        let (sum, isOver) = microseconds.addingReportingOverflow(epoch * 1_000)
        return isOver || microseconds == .min || microseconds == .max ? nil : sum
    }
}

extension Int64 {
    /// Returns the quotient rounded down, also for negative numbers.
    package func floored(by divisor: Int64) -> Int64 { self >= 0 ? self / divisor : (self + 1) / divisor - 1 }
}

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
