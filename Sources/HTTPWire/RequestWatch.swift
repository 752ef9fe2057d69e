/// Looks for the beginning of a request in a stream that is no HTTP by its first bytes, however it comes in pieces.
///
/// It reads as the most lenient server would: a request may begin in any line and behind any control character, anything
/// but visible ASCII may stand for a blank, and upper and lower case are the same. A method, a blank, a target, a blank
/// and `HTTP/` are found wherever the line goes on; without `HTTP/` it is the simple request of RFC 1945 section 4.1, `GET`
/// and a path.
///
/// Some servers run whatever stands where a method should: Werkzeug, Twisted and WEBrick lines of three words of which the
/// last begins with `HTTP/`, cheroot and gunicorn before 21 any words behind that, too. So a first word that is no token
/// is a method as well in a line of three words, and before a path and `HTTP/` unless a quotation begins in it.
/// Text in which a request is only quoted is none.
public struct RequestWatch: Sendable {
    private enum Place: Equatable {
        /// A request may begin with the next byte.
        case start
        case token
        /// Behind a token and a blank, up to the line's end.
        case rest
        /// In a line that is no request by its first word.
        case foreign
        /// In what is a request if its line ends behind this word.
        case version(isOver: Bool)
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
    /// Of a line whose first word is no token.
    private var words = WordPlaces()
    private var undecidedBytes = 0
    /// Whoever listens is known to be no server of HTTP: text may be anything, but a request has a token for a method.
    public var takesOnlyTokens = false

    public init() {}

    /// What came last is a request if its line, or all that there is, ends there.
    public var isUndecided: Bool {
        if case .version = place { true } else { false }
    }

    /// Looks at `bytes`, which follow those of the last call.
    ///
    /// - Returns: whether a request has begun in them. Nothing is found a second time.
    public mutating func finds(in bytes: UnsafeRawBufferPointer) -> Bool { bytes.contains { finds($0) } }

    /// The other side has spoken: what comes next may be a new request even in the middle of a line.
    public mutating func beginTurn() {
        switch place {
        case .foreign, .version: place = .start
        case .start, .token, .rest: break
        }
    }

    private mutating func finds(_ byte: UInt8) -> Bool {
        guard byte != Ascii.lineFeed else {
            defer { place = .start }
            isBinary = false
            return isUndecided
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
                beginWords(with: byte)
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
        case .foreign where isControl: place = .start
        case .foreign: return !takesOnlyTokens && readWord(byte, isBlank: isBlank || byte >= 0x80)
        case .version(let isOver):
            undecidedBytes += 1
            if undecidedBytes > Self.longestVersion { return true }
            if isBlank || isControl || byte >= 0x80 {
                place = .version(isOver: true)
            } else if isOver || !isVersionByte(byte) {
                place = .foreign
            }
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
            if isBinary { place = .start } else { beginWords(with: byte) }
        }
    }

    /// The first word of a line is no token.
    private mutating func beginWords(with byte: UInt8) {
        place = .foreign
        versionBytes = nil
        words = WordPlaces()
        words.readLetter(byte)
    }

    private mutating func readWord(_ byte: UInt8, isBlank: Bool) -> Bool {
        guard !isBlank else {
            words.readBlank(byte)
            versionBytes = 0
            return false
        }
        words.readLetter(byte)
        guard noteVersion(byte) else { return false }
        if words.isBehindPath { return true }
        if words.mayBeThird {
            place = .version(isOver: false)
            undecidedBytes = 0
        }
        return false
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
        let isWhole = known + 1 == Self.version.count
        versionBytes = isWhole ? nil : known + 1
        if isWhole { place = .foreign }
        return isWhole
    }

    /// More than a version and the blanks behind it have.
    private static let longestVersion = 64
    private static let get = Array("get".utf8)
    private static let version = Array("http/".utf8)
}

/// What some servers take behind `HTTP/`: letters, digits and a full stop. None ends a text in quotation marks.
private func isVersionByte(_ byte: UInt8) -> Bool {
    decimalValue(byte) != nil || lowercased(byte) &- 0x61 < 26 || byte == UInt8(ascii: ".")
}

/// Tells where in a line the version of a request would stand, by the blanks before it. A space is one to every server;
/// what else some take for a blank and others for part of a word counts as either.
private struct WordPlaces {
    private enum Row {
        case none
        /// Of what only some servers take for blanks.
        case open
        case spaced
    }

    private var row = Row.none
    private var rows = 0
    private var spacedRows = 0
    private var hasPath = false
    /// The first word has what begins a quotation: a quotation mark, as in JSON, or a tag.
    private var isQuoted = false

    mutating func readBlank(_ byte: UInt8) {
        if row == .none {
            rows += 1
            row = .open
        }
        if row == .open, byte == Ascii.space {
            spacedRows += 1
            row = .spaced
        }
    }

    mutating func readLetter(_ byte: UInt8) {
        if row != .none {
            row = .none
            if byte == Ascii.slash, spacedRows <= 1 { hasPath = true }
        }
        if spacedRows == 0, byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "<") { isQuoted = true }
    }

    /// The word is the third, by one reading at least.
    var mayBeThird: Bool { rows >= 2 && spacedRows <= 2 }

    /// What begins like a version is one, whatever follows it: the second word is a path, and nothing is quoted.
    var isBehindPath: Bool { rows >= 2 && hasPath && !isQuoted }
}
