/// A range of addresses in CIDR notation. Host bits are ignored.
public struct AddressBlock: Sendable, Hashable {
    public let network: IPAddress
    public let prefixBits: Int

    /// - Returns: nil if `prefixBits` does not fit the address family.
    public init?(_ address: IPAddress, prefixBits: Int) {
        switch address {
        case .v4(let value):
            guard 0...32 ~= prefixBits else { return nil }
            network = .v4(value & (UInt32.max << (32 - prefixBits)))
        case .v6(let value):
            guard 0...128 ~= prefixBits else { return nil }
            network = .v6(value & (UInt128.max << (128 - prefixBits)))
        }
        self.prefixBits = prefixBits
    }

    /// Reads `ADDRESS/BITS` or a single address, IPv6 without brackets, by the rules of RFC 4632 section 3.1 and RFC
    /// 4291 section 2.3, for options. Keys of dictionaries follow other rules, which ATSPolicy implements.
    public init?(_ text: String) {
        guard let slash = text.firstIndex(of: "/") else {
            guard let address = IPAddress(text) else { return nil }
            self.init(address, prefixBits: address.bits)
            return
        }
        let digits = text[text.index(after: slash)...]
        guard !digits.isEmpty, digits.utf8.count <= 3, digits.utf8.allSatisfy({ $0.decimalDigit != nil }),
            let bits = Int(digits), let address = IPAddress(text[..<slash])
        else { return nil }
        self.init(address, prefixBits: bits)
    }

    /// The last address of the range.
    public var last: IPAddress {
        switch network {
        case .v4(let value): .v4(value | ~(UInt32.max << (32 - prefixBits)))
        case .v6(let value): .v6(value | ~(UInt128.max << (128 - prefixBits)))
        }
    }

    /// True if the address is in the range; always false for the other address family.
    public func contains(_ address: IPAddress) -> Bool {
        switch (network, address) {
        case (.v4(let network), .v4(let value)): value & (UInt32.max << (32 - prefixBits)) == network
        case (.v6(let network), .v6(let value)): value & (UInt128.max << (128 - prefixBits)) == network
        case (.v4, .v6), (.v6, .v4): false
        }
    }
}

extension IPAddress {
    /// 32 or 128.
    public var bits: Int {
        switch self {
        case .v4: 32
        case .v6: 128
        }
    }
}
