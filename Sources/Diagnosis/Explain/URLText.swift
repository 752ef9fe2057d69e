public import ATSPolicy
import Text

/// A fault in a URL, and its place.
public struct URLTextError: Error, Sendable, Hashable, CustomStringConvertible {
    public var text: String
    /// Bytes of UTF-8 before the fault.
    public var offset: Int
    public var what: String

    /// `TEXT: WHAT (at character N)`, counted from 1.
    public var description: String {
        let before = String(decoding: text.utf8.prefix(offset), as: UTF8.self)
        return "\(text.printable): \(what) (at character \(before.count + 1))"
    }
}

/// A URL as the ATS rules read it. Strict by RFC 3986 section 3, without repairs, except that a missing scheme becomes
/// https and an international host is converted to ASCII; ``remarks`` report both.
public struct URLText: Sendable, Hashable {
    public let text: String
    /// Scheme, host and port. `ws` counts as http and `wss` as https, as for URLSession's tasks (inferred;
    /// docs/law/loaders.md#coverage).
    public let target: LoadTarget
    /// Path and query; at least `/`.
    public let path: String
    public let isWebSocket: Bool
    /// Changes that the parser made to the text, as sentences.
    public let remarks: [String]

    /// - Throws: the first fault, with its place.
    public static func parse(_ asked: String) throws(URLTextError) -> URLText {
        let isPlain = hasNoScheme(asked)
        let text = isPlain ? "https://" + asked : asked
        let reader = URLTextReader(text: text, asked: asked)
        if let meant = misspelled(asked) {
            throw reader.error(text.startIndex, "the scheme lacks “://”; did you mean \(meant.printable)?")
        }
        if let bad = text.utf8.firstIndex(where: { $0 <= 0x20 || $0 == 0x7F || $0 == UInt8(ascii: "\\") }) {
            throw reader.error(bad, "a URL contains no spaces, control characters or backslashes")
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
        let written = text[start..<end]
        let isForeign = !written.utf8.allSatisfy { $0 < 0x80 }
        let authority = try reader.authority(written)
        let rest = text[end...].prefix { $0 != "#" }
        return URLText(
            text: text,
            target: LoadTarget(scheme: scheme, host: authority.host, port: authority.port ?? scheme.defaultPort),
            path: rest.hasPrefix("/") ? String(rest) : "/" + rest, isWebSocket: name.hasPrefix("ws"),
            remarks: (isPlain ? ["No scheme given: https is assumed."] : [])
                + (isForeign ? ["The host in ASCII is \(authority.host)."] : []))
    }

    /// `example.com`, `example.com:8443/path` and `//example.com` have no scheme; `ftp://` and `mailto:` have another
    /// one.
    private static func hasNoScheme(_ text: String) -> Bool {
        let head = text.prefix { !"/?#".contains($0) }
        guard !text.isEmpty, !text.hasPrefix("/"), let mark = head.firstIndex(of: ":") else {
            return !text.isEmpty && !text.hasPrefix("/")
        }
        let rest = head[head.index(after: mark)...]
        return !rest.isEmpty && rest.utf8.allSatisfy { $0.decimalDigit != nil }
    }

    /// The URL that was meant by `http//example.com`, `https:/example.com` or `http:example.com`; nil for other texts.
    private static func misspelled(_ text: String) -> String? {
        let name = text.prefix { $0.isASCII && $0.isLetter }
        let rest = text[name.endIndex...]
        let marks = rest.prefix { $0 == ":" || $0 == "/" }
        guard schemes[name.lowercased()] != nil, marks.count > 1 || marks == ":", !marks.hasPrefix("://") else {
            return nil
        }
        let place = rest[marks.endIndex...]
        // `http:80` and `https:8443/path` may be a host without a scheme and its port.
        let isPort = marks == ":" && place.prefix { $0 != "/" }.utf8.allSatisfy { $0.decimalDigit != nil }
        return isPort ? nil : name.lowercased() + "://" + place
    }

    private static let schemes: [String: LoadTarget.Scheme] = [
        "http": .http, "https": .https, "ws": .http, "wss": .https,
    ]
}

/// The parser of the authority. RFC 3986 section 3.2.
private struct URLTextReader {
    let text: String
    /// The text as the user typed it, perhaps without the scheme.
    let asked: String

    func error(_ index: String.Index, _ what: String) -> URLTextError {
        let place = text.utf8.distance(from: text.utf8.startIndex, to: index)
        return URLTextError(text: asked, offset: max(0, place - (text.utf8.count - asked.utf8.count)), what: what)
    }

    /// - Parameter authority: a slice of `text`; a leading user name is skipped.
    func authority(_ authority: Substring) throws(URLTextError) -> Authority {
        let start = authority.lastIndex(of: "@").map { authority.index(after: $0) } ?? authority.startIndex
        // RFC 3986 section 3.2.3 allows an empty port; here it is a mistake.
        if authority[start...].utf8.last == UInt8(ascii: ":") {
            throw error(text.utf8.index(before: authority.endIndex), "\(AuthorityFault(.badPort, at: 0))")
        }
        let written = authority[start...]
        let isForeign = !written.utf8.allSatisfy { $0 < 0x80 }
        guard let ascii = isForeign ? InternationalHost.ascii(written) : nil else {
            return try read(written, at: start)
        }
        return try read(ascii[...], at: nil)
    }

    /// - Parameter start: start of `written`; nil for a converted host, whose faults have no place of their own.
    private func read(_ written: Substring, at start: String.Index?) throws(URLTextError) -> Authority {
        do throws(AuthorityFault) {
            var place = try Authority(written, zone: .allowed)
            // Brackets hold a scope id as %25en0 (RFC 6874 section 2), which means fe80::1%en0.
            if let scope = place.host.firstRange(of: "%25") { place.host.replaceSubrange(scope, with: "%") }
            return place
        } catch {
            guard let start else { throw self.error(text.startIndex, "\(error), as \(written)") }
            if error.kind == .foreignLetter {
                throw self.error(start, "the host has no ASCII form (xn--), so it cannot be looked up")
            }
            throw self.error(text.utf8.index(start, offsetBy: error.offset), "\(error)")
        }
    }
}
