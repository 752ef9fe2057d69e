public import ATSPolicy
import Text

/// What is wrong with a URL, and where.
public struct URLTextError: Error, Sendable, Hashable, CustomStringConvertible {
    public var text: String
    /// Bytes of UTF-8 in front of the fault.
    public var offset: Int
    public var what: String

    public init(text: String, offset: Int, what: String) {
        self.text = text
        self.offset = offset
        self.what = what
    }

    /// `TEXT: WHAT (at character N)`, counted from 1.
    public var description: String { "\(text): \(what) (at character \(offset + 1))" }
}

/// A URL as the law sees it. Strict by RFC 3986 section 3; nothing is repaired.
public struct URLText: Sendable, Hashable {
    public let text: String
    /// Scheme, host and port. `ws` counts as http and `wss` as https, as for URLSession's tasks (inferred;
    /// docs/law/loaders.md#coverage).
    public let target: LoadTarget
    /// Path and query; at least `/`.
    public let path: String
    public let isWebSocket: Bool

    /// - Throws: at the first fault, with its place.
    public static func parse(_ text: String) throws(URLTextError) -> URLText {
        let reader = URLTextReader(text: text)
        if let bad = text.utf8.firstIndex(where: { $0 <= 0x20 || $0 == 0x7F || $0 == UInt8(ascii: "\\") }) {
            throw reader.error(bad, "a blank, a control character or a backslash is not allowed")
        }
        guard let mark = text.utf8.firstIndex(of: UInt8(ascii: ":")), text[mark...].hasPrefix("://") else {
            throw reader.error(text.startIndex, "a scheme is missing, for example https://")
        }
        let name = text[..<mark].lowercased()
        guard let scheme = schemes[name] else {
            throw reader.error(text.startIndex, "the scheme must be http, https, ws or wss")
        }
        let start = text.utf8.index(mark, offsetBy: "://".utf8.count)
        let end = text[start...].firstIndex { "/?#".contains($0) } ?? text.endIndex
        let authority = try reader.authority(text[start..<end])
        let rest = text[end...].prefix { $0 != "#" }
        return URLText(
            text: text,
            target: LoadTarget(scheme: scheme, host: authority.host, port: authority.port ?? scheme.defaultPort),
            path: rest.hasPrefix("/") ? String(rest) : "/" + rest, isWebSocket: name.hasPrefix("ws"))
    }

    private static let schemes: [String: LoadTarget.Scheme] = [
        "http": .http, "https": .https, "ws": .http, "wss": .https,
    ]
}

/// The part of the parser that knows hosts and ports. RFC 3986 section 3.2.
private struct URLTextReader {
    let text: String

    func error(_ index: String.Index, _ what: String) -> URLTextError {
        URLTextError(text: text, offset: text.utf8.distance(from: text.utf8.startIndex, to: index), what: what)
    }

    /// - Parameter authority: a slice of `text`; a user name in front is passed over.
    func authority(_ authority: Substring) throws(URLTextError) -> (host: String, port: Int?) {
        let afterUser = authority.lastIndex(of: "@").map { authority.index(after: $0) } ?? authority.startIndex
        let place = authority[afterUser...]
        if place.hasPrefix("[") {
            guard let closing = place.firstIndex(of: "]") else {
                throw error(place.startIndex, "the closing bracket of the IPv6 address is missing")
            }
            let host = try bracketed(place[place.index(after: place.startIndex)..<closing])
            return (host, try port(place[place.index(after: closing)...]))
        }
        let colon = place.firstIndex(of: ":") ?? place.endIndex
        return (try name(place[..<colon]), try port(place[colon...]))
    }

    /// An IPv6 address; a scope id is written `%25en0` (RFC 6874).
    private func bracketed(_ host: Substring) throws(URLTextError) -> String {
        let address = host.prefix { $0 != "%" }
        guard case .v6? = IPAddress(address) else {
            throw error(host.startIndex, "brackets must hold an IPv6 address")
        }
        let scope = host[address.endIndex...]
        guard !scope.isEmpty else { return String(host) }
        guard scope.hasPrefix("%25"), scope.count > 3 else {
            throw error(scope.startIndex, "a scope id is written as %25 and a name")
        }
        return address + "%" + scope.dropFirst(3)
    }

    private func name(_ host: Substring) throws(URLTextError) -> String {
        guard !host.isEmpty else { throw error(host.startIndex, "the host is missing") }
        guard host.utf8.count <= Self.longestHostBytes else { throw error(host.startIndex, "the host is too long") }
        if let bad = host.utf8.firstIndex(where: { !Self.isHostByte($0) }) {
            let isForeign = host.utf8[bad] >= 0x80
            throw error(
                bad, isForeign ? "write an international name in its xn-- form" : "a character that no host has")
        }
        let labels = host.split(separator: ".", omittingEmptySubsequences: false)
        guard !labels.dropLast(labels.count > 1 ? 1 : 0).contains("") else {
            throw error(host.startIndex, "the host has an empty label")
        }
        return String(host)
    }

    /// - Parameter tail: empty, or a colon and digits.
    private func port(_ tail: Substring) throws(URLTextError) -> Int? {
        guard !tail.isEmpty else { return nil }
        let digits = tail.dropFirst()
        guard tail.hasPrefix(":"), !digits.isEmpty, digits.utf8.allSatisfy({ 0x30...0x39 ~= $0 }),
            let port = Int(digits), 1...65_535 ~= port
        else { throw error(tail.startIndex, "the port must be a number from 1 to 65535") }
        return port
    }

    /// Letters, digits, and what names on real networks hold besides: `-`, `.`, `_`.
    private static func isHostByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"):
            true
        default: false
        }
    }

    /// RFC 1035 section 2.3.4, with a trailing dot.
    private static let longestHostBytes = 254
}
