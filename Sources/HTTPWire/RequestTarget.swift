import Bytes
import Text

/// The target of a request, in one of the four forms of RFC 9112 section 3.2.
public enum RequestTarget: Sendable, Hashable {
    /// An absolute URL, as clients send to a proxy.
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
    /// Lower-case; an IPv6 address has no brackets.
    public var host: String
    /// As written, 1 to 65535; nil if left out.
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

/// The ranges of a host and a port in a message.
///
/// ``AuthorityScan`` defines the syntax: letters, digits, hyphens, dots and underscores, or an IPv6 address in brackets
/// without a zone. So each host has one spelling.
struct AuthorityRange {
    /// Without brackets.
    let host: Range<Int>
    let port: Int?
    /// Index of the text after the authority.
    let end: Int
}

extension ByteView {
    /// Reads a host with an optional port at the start of `range`; nil if it does not begin with one.
    func authority(startOf range: Range<Int>) -> AuthorityRange? {
        guard let scan = try? AuthorityScan(startOf: slice(range)) else { return nil }
        let start = range.lowerBound
        return AuthorityRange(
            host: (start + scan.host.lowerBound)..<(start + scan.host.upperBound), port: scan.port,
            end: start + scan.end)
    }

    /// Reads `range` as a host with an optional port; nil if it contains anything else.
    func authority(whole range: Range<Int>) -> AuthorityRange? {
        guard let authority = authority(startOf: range), authority.end == range.upperBound else { return nil }
        return authority
    }
}

extension RequestTarget {
    /// Reads the form of target that `method` allows. Source: RFC 9112 section 3.2.
    ///
    /// - Throws: ``WireError/badTarget``.
    static func read(_ view: ByteView, _ range: Range<Int>, for method: Method) throws(WireError) -> RequestTarget {
        guard let first = range.first, view.firstNotInTarget(from: first, to: range.upperBound) == range.upperBound
        else { throw .badTarget }
        if method == .connect { return try readAuthority(view, range) }
        if view[first] == Ascii.slash { return .path(view.text(range)) }
        if view[first] == Ascii.asterisk, range.count == 1, method == .options { return .asterisk }
        return .absolute(try AbsoluteTarget.read(view, range, for: method))
    }

    private static func readAuthority(_ view: ByteView, _ range: Range<Int>) throws(WireError) -> RequestTarget {
        guard let authority = view.authority(whole: range), let port = authority.port else { throw .badTarget }
        return .authority(host: view.lowercasedText(authority.host), port: port)
    }
}

extension AbsoluteTarget {
    fileprivate static func read(
        _ view: ByteView, _ range: Range<Int>, for method: Method
    ) throws(WireError) -> AbsoluteTarget {
        let schemeEnd = try endOfScheme(view, range)
        guard let authority = view.authority(startOf: (schemeEnd + 3)..<range.upperBound) else { throw .badTarget }
        let path = authority.end..<range.upperBound
        guard path.isEmpty || view[path.lowerBound] == Ascii.slash || view[path.lowerBound] == question else {
            throw .badTarget
        }
        return AbsoluteTarget(
            scheme: view.schemeText(range.lowerBound..<schemeEnd), host: view.lowercasedText(authority.host),
            port: authority.port, path: pathText(view, path, for: method))
    }

    /// Returns the index of the colon before `//`.
    private static func endOfScheme(_ view: ByteView, _ range: Range<Int>) throws(WireError) -> Int {
        if view.isEqual("http://", at: range.lowerBound, before: range.upperBound) { return range.lowerBound + 4 }
        var end = range.lowerBound
        while end < range.upperBound, isSchemeByte(view[end]) { end += 1 }
        guard end > range.lowerBound, end + 3 <= range.upperBound, lowercased(view[range.lowerBound]) &- 0x61 < 26,
            view[end] == Ascii.colon, view[end + 1] == Ascii.slash, view[end + 2] == Ascii.slash
        else { throw .badTarget }
        return end
    }

    private static func pathText(_ view: ByteView, _ range: Range<Int>, for method: Method) -> String {
        guard let first = range.first else { return method == .options ? "*" : "/" }
        return view[first] == Ascii.slash ? view.text(range) : "/" + view.text(range)
    }

    /// RFC 3986 section 3.1: letters, digits, plus, hyphen and dot.
    private static func isSchemeByte(_ byte: UInt8) -> Bool {
        lowercased(byte) &- 0x61 < 26 || decimalValue(byte) != nil || byte == 0x2B || byte == 0x2D || byte == 0x2E
    }

    private static let question: UInt8 = 0x3F
}

extension ByteView {
    /// Returns the range as text. Invalid UTF-8 becomes U+FFFD.
    func text(_ range: Range<Int>) -> String { String(decoding: slice(range), as: UTF8.self) }

    /// Returns the range as text with ASCII capitals in lower case.
    func lowercasedText(_ range: Range<Int>) -> String {
        guard firstCapital(from: range.lowerBound, to: range.upperBound) < range.upperBound else { return text(range) }
        return String(unsafeUninitializedCapacity: range.count) { room in
            var written = 0
            for index in range {
                room[written] = lowercased(self[index])
                written += 1
            }
            return written
        }
    }

    fileprivate func schemeText(_ range: Range<Int>) -> String {
        matches("http", at: range.lowerBound, count: range.count) ? "http" : lowercasedText(range)
    }
}

extension RequestTarget {
    /// Reads the `:path` of HTTP/2 (RFC 9113 section 8.3.1): a path with its query, or `*`, only with OPTIONS.
    ///
    /// - Throws: ``WireError/badTarget``.
    public init(path: UnsafeRawBufferPointer) throws(WireError) {
        let view = ByteView(path)
        guard view.count > 0, view.firstNotInTarget(from: 0, to: view.count) == view.count else { throw .badTarget }
        if view[0] == Ascii.slash {
            self = .path(view.text(0..<view.count))
        } else if view[0] == Ascii.asterisk, view.count == 1 {
            self = .asterisk
        } else {
            throw .badTarget
        }
    }
}

extension Method {
    /// Reads a method from untrusted bytes; nil if they are not a token.
    public init?(untrusted bytes: UnsafeRawBufferPointer) {
        let view = ByteView(bytes)
        guard view.count > 0, view.endOfToken(from: 0, to: view.count) == view.count else { return nil }
        self = Method.read(view, 0..<view.count)
    }
}
