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
