import Bytes

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
