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

extension IPAddress {
    /// 4 or 16 bytes in network order, as in packets, certificates (RFC 5280 section 4.2.1.6) and SOCKS (RFC 1928
    /// section 4).
    public var bytes: [UInt8] {
        switch self {
        case .v4(let value): stride(from: 24, through: 0, by: -8).map { UInt8(truncatingIfNeeded: value >> $0) }
        case .v6(let value): stride(from: 120, through: 0, by: -8).map { UInt8(truncatingIfNeeded: value >> $0) }
        }
    }

    /// - Parameter bytes: in network order.
    /// - Returns: nil unless there are 4 or 16 bytes.
    public init?(bytes: [UInt8]) {
        switch bytes.count {
        case 4: self = .v4(bytes.reduce(0) { $0 << 8 | UInt32($1) })
        case 16: self = .v6(bytes.reduce(0) { $0 << 8 | UInt128($1) })
        default: return nil
        }
    }
}

extension IPAddress: CustomStringConvertible {
    /// The canonical spelling of RFC 5952 section 4, without brackets: no leading zeros, the longest run of two or more
    /// zero groups as `::`, lower case. A mapped IPv4 address ends in four octets (RFC 5952 section 5).
    public var description: String {
        switch self {
        case .v4(let value): Self.octets(value)
        case .v6(let value):
            if value >> 32 == 0xFFFF {
                "::ffff:" + Self.octets(UInt32(truncatingIfNeeded: value))
            } else {
                Self.groups(value)
            }
        }
    }

    /// Written in place, because every connection formats one or two addresses, and interpolation costs six times as
    /// much.
    private static func octets(_ value: UInt32) -> String {
        String(unsafeUninitializedCapacity: 15) { room in
            var count = 0
            for shift in stride(from: 24, through: 0, by: -8) {
                let octet = UInt8(truncatingIfNeeded: value >> shift)
                if octet > 99 { append(octet / 100) }
                if octet > 9 { append(octet / 10 % 10) }
                append(octet % 10)
                if shift > 0 {
                    room[count] = UInt8(ascii: ".")
                    count += 1
                }
            }
            return count

            func append(_ digit: UInt8) {
                room[count] = UInt8(ascii: "0") + digit
                count += 1
            }
        }
    }

    private static func groups(_ value: UInt128) -> String {
        let groups = stride(from: 112, through: 0, by: -16).map { UInt16(truncatingIfNeeded: value >> $0) }
        let gap = longestZeroRun(groups)
        func text(_ part: ArraySlice<UInt16>) -> String { part.map { String($0, radix: 16) }.joined(separator: ":") }
        guard gap.count > 1 else { return text(groups[...]) }
        return text(groups[..<gap.lowerBound]) + "::" + text(groups[gap.upperBound...])
    }

    /// Returns the longest run of zero groups; the first one if several are equal.
    private static func longestZeroRun(_ groups: [UInt16]) -> Range<Int> {
        var longest = 0..<0
        var start = 0
        for (index, group) in groups.enumerated() {
            if group != 0 {
                start = index + 1
            } else if index + 1 - start > longest.count {
                longest = start..<(index + 1)
            }
        }
        return longest
    }
}

extension IPAddress {
    /// Reads a URL's host as a resolver does: an address in a form of `inet_pton`, or in one of the unusual forms of
    /// `inet_aton`, such as `127.1` and `0x7f000001`.
    ///
    /// - Returns: nil for a name, without allocating for the usual ones.
    public init?(host: String) {
        if let plain = IPAddress(host) {
            self = plain
            return
        }
        // Every number of inet_aton begins with a decimal digit.
        guard host.utf8.first?.decimalDigit != nil, let meant = IPAddress(inetAton: host) else { return nil }
        self = meant
    }

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
