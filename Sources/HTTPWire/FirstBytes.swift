import Bytes

/// What the client of a tunnel speaks, told by all the bytes that it has sent so far.
///
/// An answer other than ``undecided`` never changes when more bytes come, however they were split. Whatever an HTTP
/// server could take for a request is HTTP, well-formed or not, but for what only those take who run any word as a method:
/// it can not be told from other text before its line ends, and ``RequestWatch`` looks for it where HTTP is denied.
public enum FirstBytes: Sendable, Hashable {
    /// More bytes can still make it any of the others; nothing of it may be passed on.
    case undecided
    /// A record of TLS, or a hello in the form of SSL 2, which servers of today still take.
    case tls
    /// The beginning of a request line of HTTP/1: a token and a blank, after any number of empty lines; blanks or a token
    /// without end; or a header of the PROXY protocol, behind which a server would look for a request.
    case http
    /// The whole connection preface of HTTP/2 (RFC 9113 section 3.4).
    case http2
    case other(Kind)

    /// What bytes are that are neither TLS nor HTTP, in words. Raw values are stored and shown: never rename one.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// An identification string (RFC 4253 section 4.2).
        case ssh = "SSH"
        /// A first line as clients of SMTP, FTP, POP3, IMAP, NNTP and IRC send it.
        case command = "text commands"
        case text = "text"
        case binary = "binary"
    }

    /// - Parameter bytes: everything that came since the tunnel was opened.
    public init(_ bytes: UnsafeRawBufferPointer) {
        let view = ByteView(bytes)
        self = Self.record(in: view) ?? Self.preface(in: view) ?? Self.line(in: view)
    }

    /// So many blanks, or so many bytes of a token after them, are taken for a request without waiting for more. RFC 9112
    /// section 3 asks every server to take request lines of this length, and some take longer ones.
    public static let longestToken = 8_000
    /// Commands of SMTP have no more bytes with their line end (RFC 5321 section 4.5.3.1.4), nor have those of IRC
    /// (RFC 2812 section 2.3) and identification strings of SSH.
    public static let longestCommand = 512
}

extension FirstBytes {
    /// What a first byte that no text has tells; nil for text.
    private static func record(in view: ByteView) -> FirstBytes? {
        guard view.count > 0 else { return .undecided }
        switch view[0] {
        case handshake: return .tls
        // Servers pass over a warning before the first hello, so no type of record is let through.
        case changeCipherSpec...heartbeat:
            guard view.count > 1 else { return .undecided }
            return view[1] == tlsMajorVersion ? .tls : .other(.binary)
        case 0x80...: return oldHello(in: view) ?? (isLenientBlank(view[0]) ? nil : .other(.binary))
        default: return nil
        }
    }

    /// A hello in the form of SSL 2: two bytes of length with the highest bit set, type 1 and a version; nil for what is
    /// none. Source: RFC 5246 appendix E.2.
    private static func oldHello(in view: ByteView) -> FirstBytes? {
        guard view.count > 2 else { return .undecided }
        guard view[2] == 1 else { return nil }
        guard view.count > 4 else { return .undecided }
        let isVersion = view[3] == tlsMajorVersion && view[4] <= 4 || view[3] == 0 && view[4] == 2
        return isVersion ? .tls : nil
    }

    /// nil as soon as a byte differs from the connection preface of HTTP/2.
    private static func preface(in view: ByteView) -> FirstBytes? {
        let text: StaticString = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
        for index in 0..<min(view.count, text.utf8CodeUnitCount) where view[index] != text.utf8Start[index] {
            return nil
        }
        return view.count < text.utf8CodeUnitCount ? .undecided : .http2
    }

    private static func line(in view: ByteView) -> FirstBytes {
        var start = 0
        while start < view.count, isLenientBlank(view[start]) { start += 1 }
        guard start < longestToken else { return .http }
        guard start < view.count else { return .undecided }
        let end = view.endOfToken(from: start, to: min(view.count, start + longestToken))
        guard end - start < longestToken else { return .http }
        guard end < view.count else { return .undecided }
        guard end > start else {
            // Version 2 of the PROXY protocol begins with CRLF CRLF NUL (haproxy, proxy-protocol.txt, section 2.2).
            return start > 0 && view[end] == 0 ? .http : .other(kind(of: view[start]))
        }
        switch view[end] {
        case Ascii.lineFeed: return .other(kind(in: view, of: start..<end, before: end))
        case Ascii.carriageReturn:
            guard end + 1 < view.count else { return .undecided }
            // Alone it can pass for a space (RFC 9112 section 3).
            guard view[end + 1] == Ascii.lineFeed else { return .http }
            return .other(kind(in: view, of: start..<end, before: end))
        case let byte where isLenientBlank(byte): return words(in: view, after: start..<end)
        default: return .other(kind(in: view, of: start..<end, before: end))
        }
    }

    /// A token and a blank are a request, unless the whole line is known to be another protocol's.
    private static func words(in view: ByteView, after token: Range<Int>) -> FirstBytes {
        let isSSH = view.beginsIdentification(token)
        guard isSSH || view.mayBeginCommand(token) else { return .http }
        let longest = token.lowerBound + longestCommand
        let window = min(view.count, longest)
        guard token.upperBound < window else { return .http }
        let end = view.first(Ascii.lineFeed, from: token.upperBound, to: window)
        guard end < window else { return window == longest ? .http : .undecided }
        let rest = token.upperBound..<end
        guard !view.namesHTTP(rest) else { return .http }
        if isSSH { return .other(.ssh) }
        return view.isCommand(token, rest) ? .other(.command) : .http
    }

    private static func kind(in view: ByteView, of token: Range<Int>, before end: Int) -> Kind {
        view.beginsIdentification(token) ? .ssh : kind(of: view[end])
    }

    private static func kind(of byte: UInt8) -> Kind {
        byte < 0x7F && (byte >= Ascii.space || isLenientBlank(byte)) ? .text : .binary
    }

    /// Types of records (RFC 8446 section 5.1, RFC 6520 section 3), and the first byte of every version.
    private static let changeCipherSpec: UInt8 = 0x14
    private static let handshake: UInt8 = 0x16
    private static let heartbeat: UInt8 = 0x18
    private static let tlsMajorVersion: UInt8 = 3
}

extension ByteView {
    /// `SSH-` (RFC 4253 section 4.2).
    fileprivate func beginsIdentification(_ token: Range<Int>) -> Bool {
        isEqual("SSH-", at: token.lowerBound, before: token.upperBound)
    }

    /// The token is a command of a protocol of text, or could be a tag of IMAP, which has a digit as a rule and no
    /// method has.
    fileprivate func mayBeginCommand(_ token: Range<Int>) -> Bool { isWord(token, of: Self.commands) || isTag(token) }

    /// The line is such a command: of IMAP by its second word.
    fileprivate func isCommand(_ token: Range<Int>, _ rest: Range<Int>) -> Bool {
        guard !isWord(token, of: Self.commands) else { return true }
        let words = trimmed(rest.lowerBound..<rest.upperBound)
        return isWord(words.lowerBound..<endOfToken(from: words.lowerBound, to: words.upperBound), of: Self.tagged)
    }

    /// `HTTP/` stands somewhere, in any case.
    fileprivate func namesHTTP(_ range: Range<Int>) -> Bool {
        range.contains {
            $0 + 5 <= range.upperBound && matches("http", at: $0, count: 4) && self[$0 + 4] == Ascii.slash
        }
    }

    private func isTag(_ token: Range<Int>) -> Bool { token.contains { decimalValue(self[$0]) != nil } }

    private func isWord(_ range: Range<Int>, of words: [StaticString]) -> Bool {
        words.contains { matches($0, at: range.lowerBound, count: range.count) }
    }

    /// RFC 5321 section 4.1 and RFC 2033, RFC 959 section 5.3 and RFC 4217, RFC 1939, RFC 3977 section 5 and RFC 4643,
    /// RFC 2812 section 3.1 and IRCv3's CAP. None is a method in the registry of RFC 9110 section 16.1.1.
    private static let commands: [StaticString] = [
        "ehlo", "helo", "lhlo", "user", "auth", "apop", "mode", "authinfo", "nick", "pass", "cap",
    ]
    /// What clients of IMAP say first (RFC 9051 sections 6.1 and 6.2, RFC 2971).
    private static let tagged: [StaticString] = ["capability", "login", "authenticate", "starttls", "id", "noop"]
}
