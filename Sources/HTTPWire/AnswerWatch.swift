import Bytes

/// Tells by the first bytes of what an origin says whether they are an answer of HTTP, however they come in pieces.
public struct AnswerWatch: Sendable {
    public enum Answer: Sendable, Hashable {
        /// More bytes can still make it either.
        case undecided
        case http
        case other
    }

    public private(set) var answer = Answer.undecided
    private var blanks = 0
    /// What followed the blanks, in lower case.
    private var beginning: [UInt8] = []

    public init() {}

    /// Looks at `bytes`, which follow those of the last call.
    public mutating func look(at bytes: UnsafeRawBufferPointer) -> Answer {
        guard answer == .undecided else { return answer }
        if blanks == 0, beginning.isEmpty, Self.isSettings(bytes) { answer = .http }
        for byte in bytes where answer == .undecided { note(byte) }
        return answer
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

    /// The preface of an HTTP/2 server: a SETTINGS frame on stream 0 that acknowledges nothing, as far as it comes in one
    /// piece. Its length is a multiple of six and has no use for a second byte. Source: RFC 9113 sections 3.4 and 6.5.
    private static func isSettings(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard bytes.count >= 9 else { return false }
        let view = ByteView(bytes)
        return view[0] == 0 && view[1] == 0 && view[2] % 6 == 0 && view[3] == 4 && (4..<9).allSatisfy { view[$0] == 0 }
    }

    /// A status line (RFC 9112 section 4), that of SHOUTcast, and the pages with which servers answer what they take for a
    /// simple request, without one (RFC 1945 section 6).
    private static let beginnings = ["http/", "icy ", "<!doctype", "<html"].map { Array($0.utf8) }
    /// No protocol begins with so many blanks.
    private static let longestBlanks = 8_000
}
