/// Where a host and a port stand in the text of an authority.
///
/// Hosts are held to what a name in the DNS or an address can contain: letters, digits, hyphen, dot and underscore, or
/// an IPv6 address in brackets without a zone. Percent signs and the other marks of RFC 3986 section 3.2.2 are
/// refused, so that one host has one spelling; so is userinfo (RFC 9110 section 4.2.4).
struct Authority {
    /// Without brackets.
    let host: Range<Int>
    let port: Int?
    /// Where the text after the authority begins.
    let end: Int

    /// Reads as much of `range` as belongs to a host with an optional port; nil when it does not begin with one.
    init?(startOf range: Range<Int>, in view: ByteView) {
        guard let first = range.first else { return nil }
        let isBracketed = view[first] == Self.openingBracket
        let hostEnd = isBracketed ? Self.endOfAddress(in: view, range) : Self.endOfName(in: view, range)
        guard let hostEnd else { return nil }
        host = isBracketed ? (first + 1)..<(hostEnd - 1) : first..<hostEnd
        guard hostEnd < range.upperBound, view[hostEnd] == Ascii.colon else {
            port = nil
            end = hostEnd
            return
        }
        var digitsEnd = hostEnd + 1
        while digitsEnd < range.upperBound, decimalValue(view[digitsEnd]) != nil { digitsEnd += 1 }
        end = digitsEnd
        // RFC 3986 section 3.2.3 lets the port be empty after its colon.
        port = Self.portNumber(in: view, (hostEnd + 1)..<digitsEnd)
        guard port != nil || digitsEnd == hostEnd + 1 else { return nil }
    }

    /// Reads `range` as a host with an optional port and nothing else.
    init?(whole range: Range<Int>, in view: ByteView) {
        self.init(startOf: range, in: view)
        guard end == range.upperBound else { return nil }
    }

    private static func endOfName(in view: ByteView, _ range: Range<Int>) -> Int? {
        let end = view.endOfHostName(from: range.lowerBound, to: range.upperBound)
        return (1...longestName).contains(end - range.lowerBound) ? end : nil
    }

    private static func endOfAddress(in view: ByteView, _ range: Range<Int>) -> Int? {
        var end = range.lowerBound + 1
        var colons = 0
        while end < range.upperBound, view[end] != closingBracket {
            let byte = view[end]
            guard hexadecimalValue(byte) != nil || byte == Ascii.colon || byte == Ascii.dot else { return nil }
            if byte == Ascii.colon { colons += 1 }
            end += 1
        }
        guard end < range.upperBound, colons >= 2, end - range.lowerBound <= longestAddress else { return nil }
        return end + 1
    }

    private static func portNumber(in view: ByteView, _ digits: Range<Int>) -> Int? {
        guard (1...5).contains(digits.count) else { return nil }
        var port = 0
        for index in digits {
            guard let digit = decimalValue(view[index]) else { return nil }
            port = port * 10 + Int(digit)
        }
        return (1...65_535).contains(port) ? port : nil
    }

    private static let openingBracket: UInt8 = 0x5B
    private static let closingBracket: UInt8 = 0x5D
    /// RFC 1035 section 2.3.4.
    private static let longestName = 255
    /// Eight groups, the last two as an IPv4 address, and the opening bracket.
    private static let longestAddress = 46
}
