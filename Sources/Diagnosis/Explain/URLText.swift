public import ATSPolicy
import Text

/// What is wrong with a URL, and where.
public struct URLTextError: Error, Sendable, Hashable, CustomStringConvertible {
    public var text: String
    /// Bytes of UTF-8 in front of the fault.
    public var offset: Int
    public var what: String

    /// `TEXT: WHAT (at character N)`, counted from 1.
    public var description: String { "\(text.printable): \(what) (at character \(offset + 1))" }
}

/// A URL as the law sees it. Strict by RFC 3986 section 3; nothing is repaired, but a missing scheme is https, and an
/// international host is asked for in its ASCII form, both of which ``remarks`` say.
public struct URLText: Sendable, Hashable {
    public let text: String
    /// Scheme, host and port. `ws` counts as http and `wss` as https, as for URLSession's tasks (inferred;
    /// docs/law/loaders.md#coverage).
    public let target: LoadTarget
    /// Path and query; at least `/`.
    public let path: String
    public let isWebSocket: Bool
    /// What the reader added to the text, as sentences.
    public let remarks: [String]

    /// - Throws: at the first fault, with its place.
    public static func parse(_ asked: String) throws(URLTextError) -> URLText {
        let isPlain = hasNoScheme(asked)
        let text = isPlain ? "https://" + asked : asked
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
        let written = text[start..<end]
        let isForeign = !written.utf8.allSatisfy { $0 < 0x80 }
        let authority = try reader.authority(written)
        let rest = text[end...].prefix { $0 != "#" }
        return URLText(
            text: text,
            target: LoadTarget(scheme: scheme, host: authority.host, port: authority.port ?? scheme.defaultPort),
            path: rest.hasPrefix("/") ? String(rest) : "/" + rest, isWebSocket: name.hasPrefix("ws"),
            remarks: (isPlain ? ["No scheme: taken for https."] : [])
                + (isForeign ? ["The host is asked for as \(authority.host)."] : []))
    }

    /// `example.com`, `example.com:8443/path` and `//example.com` have none; `ftp://` and `mailto:` have another one.
    private static func hasNoScheme(_ text: String) -> Bool {
        let head = text.prefix { !"/?#".contains($0) }
        guard !text.isEmpty, !text.hasPrefix("/"), let mark = head.firstIndex(of: ":") else {
            return !text.isEmpty && !text.hasPrefix("/")
        }
        let rest = head[head.index(after: mark)...]
        return !rest.isEmpty && rest.utf8.allSatisfy { $0.decimalDigit != nil }
    }

    private static let schemes: [String: LoadTarget.Scheme] = [
        "http": .http, "https": .https, "ws": .http, "wss": .https,
    ]
}

/// The part of the parser that knows where the host begins. RFC 3986 section 3.2.
private struct URLTextReader {
    let text: String

    func error(_ index: String.Index, _ what: String) -> URLTextError {
        URLTextError(text: text, offset: text.utf8.distance(from: text.utf8.startIndex, to: index), what: what)
    }

    /// - Parameter authority: a slice of `text`; a user name in front is passed over.
    func authority(_ authority: Substring) throws(URLTextError) -> Authority {
        let start = authority.lastIndex(of: "@").map { authority.index(after: $0) } ?? authority.startIndex
        // RFC 3986 section 3.2.3 lets a port be empty; here it is a slip.
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

    /// - Parameter start: where `written` begins; nil for what was made of it, whose faults are told as one.
    private func read(_ written: Substring, at start: String.Index?) throws(URLTextError) -> Authority {
        do throws(AuthorityFault) {
            var place = try Authority(written, zone: .allowed)
            // Brackets hold a scope id as %25en0 (RFC 6874 section 2); what is meant is fe80::1%en0.
            if let scope = place.host.firstRange(of: "%25") { place.host.replaceSubrange(scope, with: "%") }
            return place
        } catch {
            guard let start else { throw self.error(text.startIndex, "\(error), as \(written)") }
            if error.kind == .foreignLetter {
                throw self.error(start, "the host has no form in ASCII (xn--): it can not be looked up")
            }
            throw self.error(text.utf8.index(start, offsetBy: error.offset), "\(error)")
        }
    }
}
