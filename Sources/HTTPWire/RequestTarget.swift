/// What a request asks for, in one of the four forms of RFC 9112 section 3.2.
public enum RequestTarget: Sendable, Hashable {
    /// A whole URL: what clients send to a proxy.
    case absolute(AbsoluteTarget)
    /// Only with CONNECT. `host` is lower-case and without brackets.
    case authority(host: String, port: Int)
    /// Path and query, beginning with a slash.
    case path(String)
    /// Only with OPTIONS: `*`.
    case asterisk
}

/// A URL as a request target.
public struct AbsoluteTarget: Sendable, Hashable {
    /// Lower-case, for example `http`.
    public var scheme: String
    /// Lower-case; an IPv6 address stands without brackets.
    public var host: String
    /// As written, 1 to 65535; nil when left out.
    public var port: Int?
    /// Path and query, at least `/`. `*` for OPTIONS on a URL without a path (RFC 9112 section 3.2.4).
    public var path: String

    public init(scheme: String, host: String, port: Int?, path: String) {
        self.scheme = scheme
        self.host = host
        self.port = port
        self.path = path
    }
}

/// Where a host and a port stand in the text of an authority.
///
/// Hosts are held to what a name in the DNS or an address can contain: letters, digits, hyphen, dot and underscore, or
/// an IPv6 address in brackets without a zone. Percent signs and the other marks of RFC 3986 section 3.2.2 are
/// refused, so that one host has one spelling; so is userinfo (RFC 9110 section 4.2.4).
struct Authority {
    /// Without brackets.
    let host: Range<Int>
    let port: Int?

    /// nil when `range` holds no host with an optional port.
    init?(in view: ByteView, _ range: Range<Int>) {
        guard let hostEnd = Self.endOfHost(in: view, range) else { return nil }
        guard hostEnd < range.upperBound else {
            self.init(in: view, range, hostEnd: hostEnd, port: nil)
            return
        }
        guard view[hostEnd] == Ascii.colon else { return nil }
        // RFC 3986 section 3.2.3 lets the port be empty after its colon.
        let digits = (hostEnd + 1)..<range.upperBound
        guard digits.isEmpty || Self.portNumber(in: view, digits) != nil else { return nil }
        self.init(in: view, range, hostEnd: hostEnd, port: Self.portNumber(in: view, digits))
    }

    private init(in view: ByteView, _ range: Range<Int>, hostEnd: Int, port: Int?) {
        let isBracketed = view[range.lowerBound] == Self.openingBracket
        host = isBracketed ? (range.lowerBound + 1)..<(hostEnd - 1) : range.lowerBound..<hostEnd
        self.port = port
    }

    private static func endOfHost(in view: ByteView, _ range: Range<Int>) -> Int? {
        guard let first = range.first else { return nil }
        guard view[first] != openingBracket else { return endOfBracketedHost(in: view, range) }
        var end = first
        while end < range.upperBound, isNameByte(view[end]) { end += 1 }
        return end > first && end - first <= longestHost ? end : nil
    }

    private static func endOfBracketedHost(in view: ByteView, _ range: Range<Int>) -> Int? {
        var end = range.lowerBound + 1
        var colons = 0
        while end < range.upperBound, view[end] != closingBracket {
            let byte = view[end]
            guard hexadecimalValue(byte) != nil || byte == Ascii.colon || byte == dot else { return nil }
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

    /// Letters, digits, hyphen, dot and underscore: one bit per character of ASCII, 0...63 and 64...127.
    @inline(__always)
    private static func isNameByte(_ byte: UInt8) -> Bool {
        let set: UInt64 = byte < 64 ? 0x03FF_6000_0000_0000 : 0x07FF_FFFE_87FF_FFFE
        return byte < 128 && (set &>> UInt64(byte)) & 1 == 1
    }

    private static let openingBracket: UInt8 = 0x5B
    private static let closingBracket: UInt8 = 0x5D
    private static let dot: UInt8 = 0x2E
    /// RFC 1035 section 2.3.4.
    private static let longestHost = 255
    /// Eight groups, the last two as an IPv4 address.
    private static let longestAddress = 46
}
