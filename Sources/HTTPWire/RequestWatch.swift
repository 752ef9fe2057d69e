/// Looks for the beginning of a request in a stream that is no HTTP by its first bytes, however it comes in pieces.
///
/// It reads as the most lenient server would: a request may begin in any line and behind any control character, anything
/// but visible ASCII may stand for a blank, and upper and lower case are the same. A method, a blank, a target, a blank
/// and `HTTP/` are found wherever the line goes on; without `HTTP/` it is the simple request of RFC 1945 section 4.1, `GET`
/// and a path. Text in which a request is only quoted, behind a quotation mark for one, is none.
public struct RequestWatch: Sendable {
    private enum Place {
        /// A request may begin with the next byte.
        case start
        case token
        /// Behind a token and a blank, up to the line's end.
        case rest
        /// In a line that is no request.
        case foreign
    }

    private var place = Place.start
    /// The line has control characters: any of its bytes may end what came before.
    private var isBinary = false
    /// Letters of `get` at the end of the token.
    private var getLetters = 0
    /// The token ends with GET, and nothing but blanks has followed.
    private var awaitsPath = false
    /// Bytes of `http/` since the last blank; nil once the word is another one.
    private var versionBytes: Int?

    public init() {}

    /// Looks at `bytes`, which follow those of the last call.
    ///
    /// - Returns: whether a request has begun in them. Nothing is found a second time.
    public mutating func finds(in bytes: UnsafeRawBufferPointer) -> Bool { bytes.contains { finds($0) } }

    /// The other side has spoken: what comes next may be a new request even in the middle of a line.
    public mutating func beginTurn() {
        if place == .foreign { place = .start }
    }

    private mutating func finds(_ byte: UInt8) -> Bool {
        guard byte != Ascii.lineFeed else {
            place = .start
            isBinary = false
            return false
        }
        let isBlank = isLenientBlank(byte)
        let isControl = !isBlank && isControl(byte)
        if isControl { isBinary = true }
        switch place {
        case .start:
            if isTokenByte(byte) {
                place = .token
                getLetters = 0
                noteToken(byte)
            } else if !isBlank, !isControl, byte < 0x80, !isBinary {
                place = .foreign
            }
        case .token: readToken(at: byte, isBlank: isBlank, isControl: isControl)
        case .rest:
            if isBlank || isControl || byte >= 0x80 {
                versionBytes = 0
                return false
            }
            let isPath = awaitsPath && byte == Ascii.slash
            awaitsPath = false
            return noteVersion(byte) || isPath
        case .foreign: if isControl { place = .start }
        }
        return false
    }

    private mutating func readToken(at byte: UInt8, isBlank: Bool, isControl: Bool) {
        if isTokenByte(byte) {
            noteToken(byte)
        } else if isBlank || isControl || byte >= 0x80 {
            place = .rest
            awaitsPath = isBlank && getLetters == 3
            versionBytes = 0
        } else if byte == Ascii.slash {
            place = .rest
            awaitsPath = false
            versionBytes = nil
        } else {
            place = isBinary ? .start : .foreign
        }
    }

    private mutating func noteToken(_ byte: UInt8) {
        let letter = lowercased(byte)
        getLetters = getLetters < 3 && letter == Self.get[getLetters] ? getLetters + 1 : letter == Self.get[0] ? 1 : 0
    }

    private mutating func noteVersion(_ byte: UInt8) -> Bool {
        guard let known = versionBytes, lowercased(byte) == Self.version[known] else {
            versionBytes = nil
            return false
        }
        versionBytes = known + 1
        guard known + 1 == Self.version.count else { return false }
        place = .foreign
        return true
    }

    private static let get = Array("get".utf8)
    private static let version = Array("http/".utf8)
}
