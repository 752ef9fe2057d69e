import Bytes
import Synchronization
import Text

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
            case .v4(let value): .v4(UInt32(mixed(UInt128(value), bits: 32, keeping: Self.keptBits(of: value))))
            case .v6(let value): .v6(mixed(value, bits: 128, keeping: value >> 121 == 0x7E ? 7 : 10))
            }
        known.withLock { $0.keep(masked, for: address, bytes: 64) }
        return masked
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

    /// The leading bits that show that an address is private (RFC 1918) or link-local (RFC 3927); the first byte of
    /// others.
    private static func keptBits(of value: UInt32) -> Int {
        switch value {
        case 0xAC10_0000...0xAC1F_FFFF: 12
        case 0xC0A8_0000...0xC0A8_FFFF, 0xA9FE_0000...0xA9FE_FFFF: 16
        default: 8
        }
    }
}

/// A quarter of a megabyte with their room in the table.
private let addressLimit = 4096
