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
