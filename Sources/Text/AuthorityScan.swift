/// Where a host and a port stand in the bytes of an authority: the one reader of `HOST`, `HOST:PORT` and `[V6]:PORT`.
///
/// Hosts are held to ``HostGrammar``, or are an IPv6 address in brackets; userinfo is refused (RFC 9110 section
/// 4.2.4). Bytes of a network never trap here.
public struct AuthorityScan: Sendable, Hashable {
    /// Without brackets, a zone included.
    public let host: Range<Int>
    /// nil where no port is written: RFC 3986 section 3.2.3 lets it be empty after its colon, too.
    public let port: Int?
    /// Where the text after the authority begins.
    public let end: Int

    /// Whether an address in brackets may have a zone behind it, as `%25en0` (RFC 6874 section 2). No message of HTTP
    /// may have one.
    public enum Zone: Sendable {
        case refused, allowed
    }

    /// Reads as many bytes as belong to a host with an optional port.
    public init(startOf bytes: UnsafeRawBufferPointer, zone: Zone = .refused) throws(AuthorityFault) {
        let isBracketed = bytes.first == UInt8(ascii: "[")
        let host = isBracketed ? try Self.address(in: bytes, zone) : try Self.name(in: bytes)
        let hostEnd = isBracketed ? host.upperBound + 1 : host.upperBound
        guard hostEnd < bytes.count, bytes[hostEnd] == UInt8(ascii: ":") else {
            self.init(host: host, port: nil, end: hostEnd)
            return
        }
        let digits = bytes.dropFirst(hostEnd + 1).prefix { $0.decimalDigit != nil }
        let port = PortNumber.read(digits)
        guard port != nil || digits.isEmpty else { throw AuthorityFault(.badPort, at: hostEnd) }
        self.init(host: host, port: port, end: hostEnd + 1 + digits.count)
    }

    /// Reads a host with an optional port and nothing else.
    public init(whole bytes: UnsafeRawBufferPointer, zone: Zone = .refused) throws(AuthorityFault) {
        self = try AuthorityScan(startOf: bytes, zone: zone)
        guard end < bytes.count else { return }
        // Behind brackets or a colon only a port can stand; only in brackets does a host begin at 1.
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
        var count = 0
        while count < bytes.count, HostGrammar.isNameByte(bytes[count]) { count += 1 }
        let name = UnsafeRawBufferPointer(rebasing: bytes[..<count])
        guard let fault = HostGrammar.fault(in: name) else { return 0..<name.count }
        let next = bytes.dropFirst(name.count).first
        // What stops an empty name is no host's character, unless a port begins there.
        guard fault.kind == .hostMissing, let next, next != UInt8(ascii: ":") else { throw fault }
        throw AuthorityFault(next < 0x80 ? .badCharacter : .foreignLetter, at: 0)
    }

    private static func address(
        in bytes: UnsafeRawBufferPointer, _ zone: Zone
    ) throws(AuthorityFault) -> Range<Int> {
        // No address with its zone is longer, so a missing bracket is not looked for in megabytes.
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

    /// The longest address, `%25` and a name of an interface, with room to spare.
    private static let longestBracketedBytes = 128
}

/// Ports as text.
public enum PortNumber {
    /// One to five decimal digits, 1 to 65535 or from another number on.
    ///
    /// - Parameter lowest: 0 where the system may choose.
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
