/// A host with an optional port: `example.com`, `example.com:443`, `[2001:db8::1]:443`.
public struct Authority: Sendable, Hashable {
    /// The host as written; an IPv6 address without brackets.
    public var host: String
    public var port: Int?

    public init(host: String, port: Int?) {
        self.host = host
        self.port = port
    }

    /// Reads text that is exactly an authority.
    ///
    /// - Throws: the first error, with its byte offset.
    public init(_ text: Substring, zone: AuthorityScan.Zone = .refused) throws(AuthorityFault) {
        var text = String(text)
        let scan = text.withUTF8 { bytes in
            Result { () throws(AuthorityFault) in
                try AuthorityScan(whole: UnsafeRawBufferPointer(bytes), zone: zone)
            }
        }
        let place = try scan.get()
        host = String(Substring(text.utf8.prefix(place.host.upperBound).dropFirst(place.host.lowerBound)))
        port = place.port
    }

    /// The address at which this machine reaches the listener: the loopback address if it listens on all addresses.
    public var reachable: Authority {
        switch IPAddress(host) {
        case .v4(0): Authority(host: "127.0.0.1", port: port)
        case .v6(0): Authority(host: "::1", port: port)
        default: self
        }
    }
}

extension Authority: CustomStringConvertible {
    /// `HOST` or `HOST:PORT`, with an IPv6 address in brackets.
    public var description: String {
        let name = Self.bracketed(host)
        return port.map { "\(name):\($0)" } ?? name
    }

    /// Returns the host as in a URL: an IPv6 address in brackets (RFC 3986 section 3.2.2).
    public static func bracketed(_ host: String) -> String {
        host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]" : host
    }
}

/// An error in the text of a host, or of a host with a port, and its position.
public struct AuthorityFault: Error, Sendable, Hashable {
    /// The kind of error. A closed list, so that callers can use their own text for each.
    public enum Kind: Sendable, Hashable, CaseIterable {
        case hostMissing
        case hostTooLong
        case emptyLabel
        case longLabel
        /// Not ASCII: an international name that is not in its xn-- form.
        case foreignLetter
        case badCharacter
        case bracketMissing
        case notIPv6
        case badZone
        case badPort
    }

    public var kind: Kind
    /// Number of bytes before the error.
    public var offset: Int

    public init(_ kind: Kind, at offset: Int) {
        self.kind = kind
        self.offset = offset
    }
}

extension AuthorityFault: CustomStringConvertible {
    /// A sentence without a full stop.
    public var description: String {
        switch kind {
        case .hostMissing: "the host is missing"
        case .hostTooLong: "the host is too long"
        case .emptyLabel: "the host has an empty label"
        case .longLabel: "a label of the host is longer than 63 characters"
        case .foreignLetter: "write an international name in its xn-- form"
        case .badCharacter: "the host contains a character that is not allowed"
        case .bracketMissing: "the closing bracket of the IPv6 address is missing"
        case .notIPv6: "brackets must contain an IPv6 address"
        case .badZone: "a scope id must be written as %25 and a name"
        case .badPort: "the port must be a number from 1 to 65535"
        }
    }
}

/// The positions of host and port in the bytes of an authority: the only parser of `HOST`, `HOST:PORT` and `[V6]:PORT`.
///
/// A host must match ``HostGrammar``, or be an IPv6 address in brackets; userinfo is rejected (RFC 9110 section 4.2.4).
/// Bytes from a network never trap here.
public struct AuthorityScan: Sendable, Hashable {
    /// Without brackets, but with a zone.
    public let host: Range<Int>
    /// nil if there is no port: RFC 3986 section 3.2.3 also allows an empty one after the colon.
    public let port: Int?
    /// The start of the text after the authority.
    public let end: Int

    /// Whether an address in brackets may have a zone, as `%25en0` (RFC 6874 section 2). It is not allowed in HTTP
    /// messages.
    public enum Zone: Sendable {
        case refused, allowed
    }

    /// Reads the longest prefix that is a host with an optional port.
    public init(startOf bytes: UnsafeRawBufferPointer, zone: Zone = .refused) throws(AuthorityFault) {
        let isBracketed = bytes.first == UInt8(ascii: "[")
        let host = isBracketed ? try Self.address(in: bytes, zone) : try Self.name(in: bytes)
        let hostEnd = isBracketed ? host.upperBound + 1 : host.upperBound
        guard bytes.dropFirst(hostEnd).first == UInt8(ascii: ":") else {
            self.init(host: host, port: nil, end: hostEnd)
            return
        }
        let digits = bytes.dropFirst(hostEnd + 1).prefix { $0.decimalDigit != nil }
        let port = PortNumber.read(digits)
        guard port != nil || digits.isEmpty else { throw AuthorityFault(.badPort, at: hostEnd) }
        self.init(host: host, port: port, end: hostEnd + 1 + digits.count)
    }

    /// Reads a host with an optional port that makes up all of `bytes`.
    public init(whole bytes: UnsafeRawBufferPointer, zone: Zone = .refused) throws(AuthorityFault) {
        self = try AuthorityScan(startOf: bytes, zone: zone)
        guard end < bytes.count else { return }
        // After brackets or a colon only a port is possible; only a host in brackets begins at 1.
        guard end == host.upperBound else { throw AuthorityFault(.badPort, at: host.upperBound + host.lowerBound) }
        let isForeign = bytes.dropFirst(end).first.map { $0 >= 0x80 } ?? false
        throw AuthorityFault(isForeign ? .foreignLetter : .badCharacter, at: end)
    }

    private init(host: Range<Int>, port: Int?, end: Int) {
        self.host = host
        self.port = port
        self.end = end
    }

    private static func name(in bytes: UnsafeRawBufferPointer) throws(AuthorityFault) -> Range<Int> {
        // Two bytes more than the longest name show that a name is too long.
        let beginning = bytes.prefix(HostGrammar.longestNameBytes + 2)
        let name = UnsafeRawBufferPointer(rebasing: beginning.prefix(while: HostGrammar.isNameByte))
        guard let fault = HostGrammar.fault(in: name) else { return 0..<name.count }
        let next = bytes.dropFirst(name.count).first
        // The first byte is not valid in a host, unless a port begins there.
        guard fault.kind == .hostMissing, let next, next != UInt8(ascii: ":") else { throw fault }
        throw AuthorityFault(next < 0x80 ? .badCharacter : .foreignLetter, at: 0)
    }

    private static func address(
        in bytes: UnsafeRawBufferPointer, _ zone: Zone
    ) throws(AuthorityFault) -> Range<Int> {
        // No address with a zone is longer, so the search for a missing bracket is bounded.
        let inner = bytes.dropFirst().prefix(longestBracketedBytes).prefix { $0 != UInt8(ascii: "]") }
        let end = 1 + inner.count
        guard bytes.dropFirst(end).first == UInt8(ascii: "]") else { throw AuthorityFault(.bracketMissing, at: 0) }
        let address = inner.prefix { $0 != UInt8(ascii: "%") }
        guard address.contains(UInt8(ascii: ":")), IPAddress(bytes: address) != nil else {
            throw AuthorityFault(.notIPv6, at: 1)
        }
        let scope = inner.dropFirst(address.count)
        guard !scope.isEmpty else { return 1..<end }
        guard zone == .allowed, scope.starts(with: "%25".utf8), scope.count > 3,
            scope.dropFirst(3).allSatisfy(HostGrammar.isNameByte)
        else { throw AuthorityFault(.badZone, at: 1 + address.count) }
        return 1..<end
    }

    /// The longest address, `%25` and an interface name, with room to spare.
    private static let longestBracketedBytes = 128
}

/// Parses port numbers.
public enum PortNumber {
    /// Reads one to five decimal digits, from `lowest` to 65535.
    ///
    /// - Parameter lowest: 0 if the system may choose the port.
    public static func read(_ digits: Substring, from lowest: Int = 1) -> Int? {
        read(digits.utf8, from: lowest)
    }

    static func read(_ digits: some Collection<UInt8>, from lowest: Int = 1) -> Int? {
        guard 1...5 ~= digits.count else { return nil }
        var port = 0
        for byte in digits {
            guard let digit = byte.decimalDigit else { return nil }
            port = port * 10 + Int(digit)
        }
        return lowest...65_535 ~= port ? port : nil
    }
}

/// Reads `HOST:PORT` and similar forms with more or with empty parts from the start of a text; IPv6 addresses are in
/// brackets. For options, whose hosts may be patterns or empty. ``Authority`` reads a whole authority.
public struct HostPortScanner: Sendable {
    private var rest: Substring

    public init(_ text: Substring) {
        rest = text
    }

    public var isAtEnd: Bool { rest.isEmpty }

    /// Returns the text up to the next colon unchanged; for brackets, the IPv6 address inside them.
    public mutating func host() throws(AuthorityFault) -> String {
        guard rest.utf8.first == UInt8(ascii: "[") else { return String(part()) }
        guard let end = rest.utf8.firstIndex(of: UInt8(ascii: "]")) else {
            throw AuthorityFault(.bracketMissing, at: 0)
        }
        let address = rest[..<end].dropFirst()
        guard case .v6? = IPAddress(address) else { throw AuthorityFault(.notIPv6, at: 1) }
        rest = rest[end...].dropFirst()
        return String(address)
    }

    /// Returns a port; nil if the part is empty.
    ///
    /// - Parameter lowest: 0 if the system may choose the port.
    /// - Throws: ``NotAPort`` with the text that is not a port.
    public mutating func port(from lowest: Int = 1) throws(NotAPort) -> Int? {
        let digits = part()
        guard !digits.isEmpty else { return nil }
        guard let port = PortNumber.read(digits, from: lowest) else { throw NotAPort(text: String(digits)) }
        return port
    }

    /// Skips a colon. Returns true if there was one.
    public mutating func colon() -> Bool {
        guard rest.utf8.first == UInt8(ascii: ":") else { return false }
        rest = rest.dropFirst()
        return true
    }

    /// Text that should be a port, but is not.
    public struct NotAPort: Error, Sendable, Hashable {
        public let text: String
    }

    private mutating func part() -> Substring {
        let part = rest.prefix { $0 != ":" }
        rest = rest[part.endIndex...]
        return part
    }
}
