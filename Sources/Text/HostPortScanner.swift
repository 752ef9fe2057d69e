/// Reads `HOST:PORT` and its relatives with more or empty parts, an IPv6 address in brackets, from the front of a
/// text: for options, whose hosts may be patterns or nothing at all. A whole authority is read by ``Authority``.
public struct HostPortScanner: Sendable {
    private var rest: Substring

    public init(_ text: Substring) {
        rest = text
    }

    public var isAtEnd: Bool { rest.isEmpty }

    /// The text up to the next colon, as it is; of brackets only what they hold, which is an IPv6 address.
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

    /// A port; nil where the part is empty.
    ///
    /// - Parameter lowest: 0 where the system may choose.
    /// - Throws: what stands there instead of a port.
    public mutating func port(from lowest: Int = 1) throws(NotAPort) -> Int? {
        let digits = part()
        guard !digits.isEmpty else { return nil }
        guard let port = PortNumber.read(digits, from: lowest) else { throw NotAPort(text: String(digits)) }
        return port
    }

    /// Passes a colon, and says whether there was one.
    public mutating func colon() -> Bool {
        guard rest.utf8.first == UInt8(ascii: ":") else { return false }
        rest = rest.dropFirst()
        return true
    }

    /// Text where a port should be.
    public struct NotAPort: Error, Sendable, Hashable {
        public let text: String
    }

    private mutating func part() -> Substring {
        let part = rest.prefix { $0 != ":" }
        rest = rest[part.endIndex...]
        return part
    }
}
