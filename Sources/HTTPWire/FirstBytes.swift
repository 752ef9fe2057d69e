import Bytes

/// The protocol of a tunnel's client, derived from all bytes that it has sent so far.
///
/// A result other than ``undecided`` never changes when more bytes arrive, however they are split. Anything that an HTTP
/// server may accept as a request counts as HTTP, even if malformed. Servers that accept any word as a method are the
/// exception: in a relay the origin's first bytes decide, see ``AnswerWatch``.
public enum FirstBytes: Sendable, Hashable {
    /// More bytes are needed; none may be relayed yet.
    case undecided
    /// A TLS record, or a hello in SSL 2 format, of any version: servers tolerate more than the standards allow. A hello that
    /// the gate cannot read is refused later.
    case tls
    /// The beginning of an HTTP/1 request line: a token and a blank, after any number of empty lines; endless blanks or an
    /// endless token; or a PROXY protocol header, after which a server expects a request.
    case http
    /// The whole connection preface of HTTP/2 (RFC 9113 section 3.4).
    case http2
    case other(Kind)

    /// A description of bytes that are neither TLS nor HTTP. Raw values are stored and shown: never rename one.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// An identification string (RFC 4253 section 4.2).
        case ssh = "SSH"
        /// The first line of an SMTP, FTP, POP3, IMAP, NNTP or IRC client.
        case command = "text commands"
        case text = "text"
        case binary = "binary"
    }

    /// - Parameter bytes: all bytes received since the tunnel was opened.
    public init(_ bytes: UnsafeRawBufferPointer) {
        let view = ByteView(bytes)
        self = Self.record(in: view) ?? Self.preface(in: view) ?? Self.line(in: view)
    }

    /// After this many blanks or token bytes the connection counts as HTTP without waiting for more. RFC 9112 section 3
    /// recommends that servers support request lines of this length; some accept longer ones.
    public static let longestToken = 8_000
    /// The longest command of SMTP including its line end (RFC 5321 section 4.5.3.1.4). Those of IRC (RFC 2812 section 2.3)
    /// and SSH identification strings are no longer.
    public static let longestCommand = 512

    /// Classifies bytes that begin with a byte that no text contains; nil for text.
    private static func record(in view: ByteView) -> FirstBytes? {
        guard view.count > 0 else { return .undecided }
        switch view[0] {
        // Java skips a warning alert of any version before the first hello, so neither type nor version is an exception.
        case recordTypes: return .tls
        case 0x80...: return oldHello(in: view) ?? (isLenientBlank(view[0]) ? nil : .other(.binary))
        default: return nil
        }
    }

    /// A hello in SSL 2 format: a two-byte length with the highest bit set, then message type 1. OpenSSL 3 accepts versions
    /// up to 3.255 in it. nil for other bytes. Source: RFC 5246 appendix E.2.
    private static func oldHello(in view: ByteView) -> FirstBytes? {
        guard view.count > 2 else { return .undecided }
        return view[2] == 1 ? .tls : nil
    }

    /// nil if a byte differs from the HTTP/2 connection preface.
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
            // A bare CR may count as a space (RFC 9112 section 3).
            guard view[end + 1] == Ascii.lineFeed else { return .http }
            return .other(kind(in: view, of: start..<end, before: end))
        case let byte where isLenientBlank(byte): return words(in: view, after: start..<end)
        default: return .other(kind(in: view, of: start..<end, before: end))
        }
    }

    /// A token and a blank begin a request, unless the whole line is a known command of another protocol.
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

    /// Types of TLS records, from change_cipher_spec to heartbeat (RFC 8446 section 5.1, RFC 6520 section 3).
    static let recordTypes: ClosedRange<UInt8> = 0x14...0x18
}

extension ByteView {
    /// `SSH-` (RFC 4253 section 4.2).
    fileprivate func beginsIdentification(_ token: Range<Int>) -> Bool {
        isEqual("SSH-", at: token.lowerBound, before: token.upperBound)
    }

    /// True if the token is a command of a text protocol or may be an IMAP tag: tags usually contain a digit, methods never
    /// do.
    fileprivate func mayBeginCommand(_ token: Range<Int>) -> Bool { isWord(token, of: Self.commands) || isTag(token) }

    /// True if the line is such a command; an IMAP command is its second word.
    fileprivate func isCommand(_ token: Range<Int>, _ rest: Range<Int>) -> Bool {
        guard !isWord(token, of: Self.commands) else { return true }
        let words = trimmed(rest.lowerBound..<rest.upperBound)
        return isWord(words.lowerBound..<endOfToken(from: words.lowerBound, to: words.upperBound), of: Self.tagged)
    }

    /// True if the range contains `HTTP/`, in upper or lower case.
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
    /// RFC 2812 section 3.1 and IRCv3's CAP. None of them is a registered HTTP method (RFC 9110 section 16.1.1).
    private static let commands: [StaticString] = [
        "ehlo", "helo", "lhlo", "user", "auth", "apop", "mode", "authinfo", "nick", "pass", "cap",
    ]
    /// The first commands of IMAP clients (RFC 9051 sections 6.1 and 6.2, RFC 2971).
    private static let tagged: [StaticString] = ["capability", "login", "authenticate", "starttls", "id", "noop"]
}

/// Classifies an origin's first bytes, however they are split: TLS, an HTTP answer, or another protocol.
public struct AnswerWatch: Sendable {
    public enum Answer: Sendable, Hashable {
        /// More bytes are needed.
        case undecided
        /// A TLS record of any version (RFC 8446 section 5.1).
        case tls
        case http
        case other
    }

    public private(set) var answer = Answer.undecided
    private var blanks = 0
    /// The first bytes after the blanks, in lower case.
    private var beginning: [UInt8] = []

    public init() {}

    /// Reads `bytes`, which follow those of the last call.
    public mutating func look(at bytes: UnsafeRawBufferPointer) -> Answer {
        guard answer == .undecided else { return answer }
        if blanks == 0, beginning.isEmpty { classifyBinary(ByteView(bytes)) }
        for byte in bytes where answer == .undecided { note(byte) }
        return answer
    }

    /// The version of a record is not examined: some clients skip records with a version they do not know.
    private mutating func classifyBinary(_ view: ByteView) {
        if view.count > 0, FirstBytes.recordTypes.contains(view[0]) {
            answer = .tls
        } else if Self.isSettings(view) {
            answer = .http
        }
    }

    private mutating func note(_ byte: UInt8) {
        guard !beginning.isEmpty || !isLenientBlank(byte) else {
            blanks += 1
            if blanks >= Self.longestBlanks { answer = .http }
            return
        }
        beginning.append(lowercased(byte))
        let known = Self.beginnings.filter { $0.starts(with: beginning) }
        if known.contains(where: { $0.count == beginning.count }) {
            answer = .http
        } else if known.isEmpty {
            answer = .other
        }
    }

    /// The preface of an HTTP/2 server, if it arrives in one piece: a SETTINGS frame on stream 0 without ACK. Its length is
    /// a multiple of six and needs only one byte. Source: RFC 9113 sections 3.4 and 6.5.
    private static func isSettings(_ view: ByteView) -> Bool {
        guard view.count >= 9 else { return false }
        return view[0] == 0 && view[1] == 0 && view[2] % 6 == 0 && view[3] == 4 && (4..<9).allSatisfy { view[$0] == 0 }
    }

    /// A status line (RFC 9112 section 4), SHOUTcast's status line, and the pages that servers send without one in answer
    /// to an HTTP/0.9 request (RFC 1945 section 6).
    private static let beginnings = ["http/", "icy ", "<!doctype", "<html"].map { Array($0.utf8) }
    /// No known protocol begins with that many blanks.
    private static let longestBlanks = 8_000
}
