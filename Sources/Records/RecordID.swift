/// Makes record ids that sort by creation time, also across gates whose clocks agree.
///
/// 26 characters of Crockford's base 32, the shape of a ULID: 48 bits of milliseconds, a 32-bit counter within the
/// millisecond, and 48 bits that identify the maker. Clock and randomness are passed in, because Records has neither.
public struct RecordIDMaker: Sendable {
    private let maker: UInt64
    private var lastTime: UInt64 = 0
    private var counter: UInt32 = 0

    /// - Parameter maker: random bits of this process; the lower 48 count.
    public init(maker: UInt64) {
        self.maker = maker & lower48
    }

    /// Returns the next id. A clock that stops or steps back does not break the order.
    ///
    /// - Parameter time: milliseconds since 1970-01-01 UTC.
    public mutating func next(time: Int64) -> String {
        let now = UInt64(clamping: time) & lower48
        if now > lastTime {
            lastTime = now
            counter = 0
        } else {
            let (next, overflowed) = counter.addingReportingOverflow(1)
            counter = next
            if overflowed { lastTime += 1 }
        }
        return text(high: lastTime << 16 | UInt64(counter) >> 16, low: UInt64(counter) << 48 | maker)
    }

    private func text(high: UInt64, low: UInt64) -> String {
        String(unsafeUninitializedCapacity: length) { characters in
            var high = high
            var low = low
            for index in (0..<length).reversed() {
                characters[index] = alphabet[Int(low & 0x1F)]
                low = low >> 5 | high << 59
                high >>= 5
            }
            return length
        }
    }
}

/// 26 characters of 5 bits hold 128 bits; the first two bits are always 0.
private let length = 26
private let lower48: UInt64 = 0xFFFF_FFFF_FFFF
/// Crockford's base 32 leaves out I, L, O and U; its order is that of ASCII, so ids sort as text.
private let alphabet = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ".utf8)
