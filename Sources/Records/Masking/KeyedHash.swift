import COpenSSL

/// The first 64 bits of HMAC-SHA-256. Without the key they look random, so a guess at the text cannot be tested.
///
/// Source: RFC 2104, RFC 4868 section 2.1.1 (truncation).
public struct KeyedHash: Sendable, Hashable {
    private let first: UInt64
    private let second: UInt64

    public init(_ first: UInt64, _ second: UInt64) {
        self.first = first
        self.second = second
    }

    /// Makes a random key.
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

    /// Returns the digest of `bytes` under this key, or 0 if OpenSSL has no memory for it.
    public func digest(_ bytes: some Sequence<UInt8>) -> UInt64 {
        let text = Array(bytes)
        var digest: [UInt64] = [0, 0, 0, 0]
        withUnsafeBytes(of: (first.bigEndian, second.bigEndian)) { key in
            digest.withUnsafeMutableBytes { digest in
                let place = digest.bindMemory(to: UInt8.self).baseAddress
                _ = HMAC(EVP_sha256(), key.baseAddress, Int32(key.count), text, text.count, place, nil)
            }
        }
        return UInt64(bigEndian: digest[0])
    }
}
