extension IPAddress {
    /// The IPv4 address of an IPv4-mapped IPv6 address (RFC 4291 section 2.5.5.2), as sockets interpret it; every other
    /// address unchanged.
    public var unmapped: IPAddress {
        guard case .v6(let value) = self, value >> 32 == 0xFFFF else { return self }
        return .v4(UInt32(truncatingIfNeeded: value))
    }

    /// 127.0.0.0/8 (RFC 1122 section 3.2.1.3) or ::1 (RFC 4291 section 2.5.3), mapped or not.
    public var isLoopback: Bool {
        switch unmapped {
        case .v4(let value): value >> 24 == 127
        case .v6(let value): value == 1
        }
    }

    /// 0.0.0.0/8, "this host on this network" (RFC 1122 section 3.2.1.3), or :: (RFC 4291 section 2.5.2), mapped or
    /// not. A connection to 0.0.0.0 or :: reaches the host itself.
    public var isUnspecified: Bool {
        switch unmapped {
        case .v4(let value): value >> 24 == 0
        case .v6(let value): value == 0
        }
    }

    /// 169.254.0.0/16 (RFC 3927) or fe80::/10 (RFC 4291 section 2.5.6), mapped or not. Cloud metadata services use the
    /// former.
    public var isLinkLocal: Bool {
        switch unmapped {
        case .v4(let value): value >> 16 == 0xA9FE
        case .v6(let value): value >> 118 == 0x3FA
        }
    }
}

extension IPAddress {
    /// Reads the text forms that `inet_aton` accepts, and that resolvers therefore dial. An address is one to four
    /// numbers separated by dots, each decimal, octal (prefix `0`) or hexadecimal (prefix `0x`). The last one fills all
    /// remaining octets. So `127.1`, `2130706433` and `0x7f000001` are 127.0.0.1. Source: inet_aton(3) of POSIX
    /// systems, glibc's getaddrinfo(3). Rejects trailing white space, which inet_aton ignores and getaddrinfo does not.
    public init?(inetAton text: Substring) {
        let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count <= 4, let lastPart = parts.last, let last = Self.number(lastPart) else { return nil }
        var value: UInt32 = 0
        for part in parts.dropLast() {
            guard let octet = Self.number(part), octet <= 255 else { return nil }
            value = value << 8 | octet
        }
        let octetsLeft = UInt32(5 - parts.count)
        guard octetsLeft == 4 || last >> (8 * octetsLeft) == 0 else { return nil }
        // A shift by all 32 bits results in 0 in Swift, which is required here.
        self = .v4(value << (8 * octetsLeft) | last)
    }

    /// Reads an address from a whole string.
    public init?(inetAton text: String) {
        self.init(inetAton: text[...])
    }

    /// Reads a number like `strtoul` with base 0; nil if it contains other characters or does not fit.
    private static func number(_ text: Substring.UTF8View) -> UInt32? {
        var digits = text
        var radix: UInt32 = 10
        if digits.first == UInt8(ascii: "0"), digits.count > 1 {
            radix = 8
            digits = digits.dropFirst()
            if digits.first == UInt8(ascii: "x") || digits.first == UInt8(ascii: "X") {
                radix = 16
                digits = digits.dropFirst()
            }
        }
        guard !digits.isEmpty else { return nil }
        var value: UInt32 = 0
        for byte in digits {
            guard let digit = byte.hexadecimalDigit.map(UInt32.init), digit < radix else { return nil }
            let (product, hasOverflown) = value.multipliedReportingOverflow(by: radix)
            let (sum, isTooLarge) = product.addingReportingOverflow(digit)
            guard !hasOverflown, !isTooLarge else { return nil }
            value = sum
        }
        return value
    }
}
