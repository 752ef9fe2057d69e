/// An IP address, parsed and formatted without a system library.
public enum IPAddress: Sendable, Hashable {
    case v4(UInt32)
    case v6(UInt128)

    /// Reads the text forms of `inet_pton`: four decimal octets without leading zeros, or IPv6 as in RFC 4291 section
    /// 2.2. Rejects scope ids, brackets, and short or hexadecimal forms of IPv4.
    public init?(_ text: Substring) {
        self.init(bytes: text.utf8)
    }

    /// Reads an address from a whole string.
    public init?(_ text: String) {
        self.init(bytes: text[...].utf8)
    }

    /// Reads an address from bytes received from a network.
    public init?(text: UnsafeRawBufferPointer) {
        self.init(bytes: text[...])
    }

    init?<Bytes: Collection<UInt8>>(bytes: Bytes) where Bytes.SubSequence == Bytes {
        guard let first = bytes.first, bytes.count <= Self.longestTextBytes else { return nil }
        if bytes.contains(UInt8(ascii: ":")) {
            guard let value = Self.parseV6(bytes) else { return nil }
            self = .v6(value)
        } else {
            guard first.decimalDigit != nil, let value = Self.parseV4(bytes) else { return nil }
            self = .v4(value)
        }
    }

    private static func parseV4(_ bytes: some Collection<UInt8>) -> UInt32? {
        var value: UInt32 = 0
        var octet: UInt32?
        var octets = 0
        for byte in bytes {
            if byte == UInt8(ascii: ".") {
                guard let finished = octet, octets < 3 else { return nil }
                value = value << 8 | finished
                octets += 1
                octet = nil
                continue
            }
            guard let digit = byte.decimalDigit, octet != 0 else { return nil }
            let grown = (octet ?? 0) * 10 + UInt32(digit)
            guard grown <= 255 else { return nil }
            octet = grown
        }
        guard let last = octet, octets == 3 else { return nil }
        return value << 8 | last
    }

    private static func parseV6<Bytes: Collection<UInt8>>(_ bytes: Bytes) -> UInt128?
    where Bytes.SubSequence == Bytes {
        var rest = bytes
        var value: UInt128 = 0
        var groups = 0
        var gap: Int?
        if rest.first == UInt8(ascii: ":") {
            rest = rest.dropFirst()
            guard rest.first == UInt8(ascii: ":") else { return nil }
        }
        while let byte = rest.first {
            if byte == UInt8(ascii: ":") {
                guard gap == nil else { return nil }
                gap = groups
                rest = rest.dropFirst()
                continue
            }
            let start = rest
            guard let group = takeGroup(&rest) else { return nil }
            if rest.first == UInt8(ascii: ".") {
                guard let tail = parseV4(start) else { return nil }
                value = value << 32 | UInt128(tail)
                groups += 2
                break
            }
            value = value << 16 | UInt128(group)
            groups += 1
            guard groups <= 8 else { return nil }
            if rest.isEmpty { break }
            guard rest.first == UInt8(ascii: ":") else { return nil }
            rest = rest.dropFirst()
            guard !rest.isEmpty else { return nil }
        }
        guard let gap else { return groups == 8 ? value : nil }
        guard groups < 8 else { return nil }
        let tailBits = 16 * (groups - gap)
        let tail = value & ((UInt128(1) << tailBits) - 1)
        return (value >> tailBits) << (128 - 16 * gap) | tail
    }

    /// Reads one to four hexadecimal digits.
    private static func takeGroup<Bytes: Collection<UInt8>>(_ rest: inout Bytes) -> UInt16?
    where Bytes.SubSequence == Bytes {
        var group: UInt16 = 0
        var digits = 0
        while let digit = rest.first?.hexadecimalDigit {
            guard digits < 4 else { return nil }
            group = group << 4 | UInt16(digit)
            digits += 1
            rest = rest.dropFirst()
        }
        return digits > 0 ? group : nil
    }

    /// INET6_ADDRSTRLEN without its NUL.
    private static let longestTextBytes = 45
}
