/// SipHash-2-4: a digest that nobody can tell from chance without the key, so that a guess at the text cannot be tried.
///
/// Source: Aumasson and Bernstein, "SipHash: a fast short-input PRF", 2012.
public struct KeyedHash: Sendable, Hashable {
    private let first: UInt64
    private let second: UInt64

    public init(_ first: UInt64, _ second: UInt64) {
        self.first = first
        self.second = second
    }

    /// With a key by chance.
    public init() {
        self.init(.random(in: .min ... .max), .random(in: .min ... .max))
    }

    /// Reads ``text``.
    ///
    /// - Returns: nil for anything but 32 hexadecimal digits.
    public init?(text: String) {
        guard text.utf8.count == 32, let first = UInt64(text.prefix(16), radix: 16),
            let second = UInt64(text.suffix(16), radix: 16)
        else { return nil }
        self.init(first, second)
    }

    /// The key, as 32 hexadecimal digits.
    public var text: String {
        [first, second].map { half in
            let digits = String(half, radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
    }

    /// The digest of some bytes under this key.
    public func digest(_ bytes: some Sequence<UInt8>) -> UInt64 {
        var state = State(first, second)
        var word: UInt64 = 0
        var count: UInt64 = 0
        for byte in bytes {
            word |= UInt64(byte) << (8 * (count % 8))
            count += 1
            guard count % 8 == 0 else { continue }
            state.take(word)
            word = 0
        }
        state.take(word | count << 56)
        return state.finished()
    }

    /// The four words of section 2.
    private struct State {
        private var (v0, v1, v2, v3): (UInt64, UInt64, UInt64, UInt64)

        init(_ first: UInt64, _ second: UInt64) {
            v0 = first ^ 0x736F_6D65_7073_6575
            v1 = second ^ 0x646F_7261_6E64_6F6D
            v2 = first ^ 0x6C79_6765_6E65_7261
            v3 = second ^ 0x7465_6462_7974_6573
        }

        mutating func take(_ word: UInt64) {
            v3 ^= word
            round()
            round()
            v0 ^= word
        }

        mutating func finished() -> UInt64 {
            v2 ^= 0xFF
            for _ in 0..<4 { round() }
            return v0 ^ v1 ^ v2 ^ v3
        }

        private mutating func round() {
            v0 &+= v1
            v1 = v1 << 13 | v1 >> 51
            v1 ^= v0
            v0 = v0 << 32 | v0 >> 32
            v2 &+= v3
            v3 = v3 << 16 | v3 >> 48
            v3 ^= v2
            v0 &+= v3
            v3 = v3 << 21 | v3 >> 43
            v3 ^= v0
            v2 &+= v1
            v1 = v1 << 17 | v1 >> 47
            v1 ^= v2
            v2 = v2 << 32 | v2 >> 32
        }
    }
}
