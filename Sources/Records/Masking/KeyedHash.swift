import Bytes
import COpenSSL
import Synchronization
import Text

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
    public var text: String { first.hexadecimal + second.hexadecimal }

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

extension KeyedHash {
    /// Returns hexadecimal digits derived from `text`, as many as it has bytes.
    func hexadecimal(_ text: String) -> String {
        var digits = ""
        while digits.utf8.count < text.utf8.count {
            digits += digest("x\(digits.utf8.count):\(text)".utf8).hexadecimal
        }
        return String(digits.prefix(text.utf8.count))
    }

    /// Returns Base64 digits derived from `text`. The first is never a slash, which would begin a path.
    func base64Digits(_ count: Int, of text: String) -> String {
        let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
        let chosen = (0..<count).map { digits[Int(digest("b\($0):\(text)".utf8) % ($0 == 0 ? 62 : 64))] }
        return String(decoding: chosen, as: UTF8.self)
    }
}

/// Replaces addresses with others of the same kind. Addresses of one network stay together, so that a CIDR block keeps
/// its members. Source: Xu et al., "Prefix-Preserving IP Address Anonymization", 2002, section 3.
///
/// Each bit costs a digest, so results are cached, up to a limit.
final class MaskedAddresses: Sendable {
    private let key: KeyedHash
    private let known = Mutex(
        WeighedCache<IPAddress, IPAddress>(.masks, limit: 1 << 20, count: addressLimit))

    init(_ key: KeyedHash) {
        self.key = key
    }

    func masked(_ address: IPAddress) -> IPAddress {
        let address = address.unmapped
        if let known = known.withLock({ $0.value(for: address) }) { return known }
        let masked: IPAddress =
            switch address {
            case .v4(let value): .v4(maskedV4(value))
            case .v6(let value): .v6(maskedV6(value))
            }
        known.withLock { $0.keep(masked, for: address, bytes: 64) }
        return masked
    }

    /// A public address becomes one of 240.0.0.0/4, which no host has (RFC 1112 section 4), because another public address
    /// would belong to a stranger.
    private func maskedV4(_ value: UInt32) -> UInt32 {
        guard let kept = Self.keptBits(of: value) else {
            return 0xF000_0000 | UInt32(mixed(UInt128(value), bits: 32, keeping: 0)) & 0x0FFF_FFFF
        }
        return UInt32(mixed(UInt128(value), bits: 32, keeping: kept))
    }

    /// A global unicast address (2000::/3, RFC 4291 section 2.4) becomes one of 2001:db8::/32, the block for documentation
    /// (RFC 3849).
    private func maskedV6(_ value: UInt128) -> UInt128 {
        guard value >> 125 == 1 else { return mixed(value, bits: 128, keeping: value >> 121 == 0x7E ? 7 : 10) }
        let rest = mixed(value, bits: 128, keeping: 0) & (UInt128(1) << 96 - 1)
        return UInt128(0x2001_0DB8) << 96 | rest
    }

    private func mixed(_ value: UInt128, bits: Int, keeping kept: Int) -> UInt128 {
        var mixed = value
        for bit in kept..<bits {
            let prefix = value >> UInt128(bits - bit)
            let words = [UInt64(truncatingIfNeeded: prefix), UInt64(truncatingIfNeeded: prefix >> 64), UInt64(bit)]
            let digest = key.digest(
                words.flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> ($0 * 8)) } })
            mixed ^= UInt128(digest & 1) << UInt128(bits - 1 - bit)
        }
        return mixed
    }

    /// The leading bits that show that an address is private (RFC 1918), of carrier-grade NAT (RFC 6598), link-local (RFC
    /// 3927), loopback or multicast; nil for a public one.
    private static func keptBits(of value: UInt32) -> Int? {
        switch value {
        case 0xAC10_0000...0xAC1F_FFFF: 12
        case 0xC0A8_0000...0xC0A8_FFFF, 0xA9FE_0000...0xA9FE_FFFF: 16
        case 0x6440_0000...0x647F_FFFF: 10
        case 0x0A00_0000...0x0AFF_FFFF, 0x7F00_0000...0x7FFF_FFFF, 0x0000_0000...0x00FF_FFFF: 8
        case 0xE000_0000...: 8
        default: nil
        }
    }
}

/// A quarter of a megabyte with their room in the table.
private let addressLimit = 4096
