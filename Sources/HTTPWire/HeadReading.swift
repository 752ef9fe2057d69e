import Bytes

extension RequestHead {
    /// Reads a whole head: a request line, fields and the empty line. `lines` does not count the empty one.
    static func read(_ view: ByteView, lines: Int) throws(WireError) -> RequestHead {
        let line = try RequestLine(in: view)
        let method = Method.read(view, line.method)
        let target = try RequestTarget.read(view, line.target, for: method)
        let fields = try FieldBlock.read(view, line.end..<(view.count - 2), lines: lines - 1)
        try checkHost(of: fields, minorVersion: line.minorVersion, target: target)
        let framing = try framing(of: fields, minorVersion: line.minorVersion, method: method)
        let isPersistent = fields.allowsPersistence(minorVersion: line.minorVersion, keepsOldVersion: false)
        let expectsContinue =
            line.minorVersion == 1 && framing != .none && fields.hasMember(of: .expect, equalTo: "100-continue")
        return RequestHead(
            method: method, target: target, minorVersion: line.minorVersion, fields: fields, framing: framing,
            isPersistent: isPersistent, expectsContinue: expectsContinue)
    }

    /// Requires exactly one well-formed Host; HTTP/1.0 may leave it out (RFC 9112 section 3.2).
    ///
    /// An empty Host is for URLs without an authority. Those of http and https always have one (RFC 9110 section 4.2),
    /// so Host can be empty only if the target contains the authority.
    private static func checkHost(
        of fields: FieldBlock, minorVersion: UInt8, target: RequestTarget
    ) throws(WireError) {
        let mayBeEmpty =
            switch target {
            case .absolute, .authority: true
            case .path, .asterisk: false
            }
        var hosts = 0
        var isSound = true
        fields.walk { record, view in
            guard record.isField(.host) else { return true }
            hosts += 1
            let isEmpty = record.value.isEmpty
            if isEmpty ? !mayBeEmpty : view.authority(whole: record.value) == nil { isSound = false }
            return true
        }
        guard hosts <= 1 else { throw .severalHosts }
        guard hosts == 1 || minorVersion == 0 else { throw .missingHost }
        guard isSound else { throw .badHost }
    }

    private static func framing(
        of fields: FieldBlock, minorVersion: UInt8, method: Method
    ) throws(WireError) -> BodyFraming {
        let framing = try fields.declaredFraming(minorVersion: minorVersion) ?? .none
        guard method == .connect else { return framing }
        // Bytes after the head of CONNECT belong to the tunnel.
        guard framing == .none || framing == .fixed(0) else { throw .connectWithBody }
        return .none
    }
}

/// The ranges of a request line's parts. Source: RFC 9112 section 3.
private struct RequestLine {
    let method: Range<Int>
    let target: Range<Int>
    let minorVersion: UInt8
    /// Start of the next line.
    let end: Int

    init(in view: ByteView) throws(WireError) {
        let lineEnd = try endOfStartLine(view)
        let methodEnd = view.endOfToken(from: 0, to: lineEnd)
        var versionStart = lineEnd
        while versionStart > methodEnd, view[versionStart - 1] != Ascii.space { versionStart -= 1 }
        guard methodEnd > 0, methodEnd < lineEnd, view[methodEnd] == Ascii.space, versionStart > methodEnd + 1 else {
            throw .badStartLine
        }
        minorVersion = try readMinorVersion(view, versionStart..<lineEnd)
        method = 0..<methodEnd
        target = (methodEnd + 1)..<(versionStart - 1)
        end = lineEnd + 2
    }
}

/// Returns the place of the line end of a request line or a status line.
func endOfStartLine(_ view: ByteView) throws(WireError) -> Int {
    let lineEnd = view.firstControl(from: 0, to: view.count)
    guard view.hasLineEnd(at: lineEnd, before: view.count) else {
        throw controlError(view, 0..<view.count, at: lineEnd, otherwise: .badStartLine)
    }
    return lineEnd
}

/// Reads `HTTP/1.0` or `HTTP/1.1`. Source: RFC 9112 section 2.3.
func readMinorVersion(_ view: ByteView, _ range: Range<Int>) throws(WireError) -> UInt8 {
    guard view.isEqual("HTTP/", at: range.lowerBound, before: range.upperBound) else { throw .badStartLine }
    guard range.count == 8, view.isEqual("HTTP/1.", at: range.lowerBound, before: range.upperBound),
        let digit = decimalValue(view[range.upperBound - 1]), digit <= 1
    else { throw .badVersion }
    return digit
}

extension Method {
    /// Reads a token. Common methods allocate no text.
    static func read(_ view: ByteView, _ range: Range<Int>) -> Method {
        @inline(__always)
        func named(_ text: StaticString) -> Bool { view.isEqual(text, at: range.lowerBound, before: range.upperBound) }
        switch range.count {
        case 3 where named("GET"): return .get
        case 4 where named("POST"): return .post
        case 4 where named("HEAD"): return .head
        case 7 where named("CONNECT"): return .connect
        default: return Method(checked: view.text(range))
        }
    }
}

extension ResponseHead {
    /// The method that a response answers, reduced to its effect on the body.
    package enum Answering: Sendable {
        case head, connect, other

        package init(_ method: Method) {
            switch method {
            case .head: self = .head
            case .connect: self = .connect
            default: self = .other
            }
        }
    }

    /// Reads a whole head: a status line, fields and the empty line. `lines` does not count the empty one.
    static func read(_ view: ByteView, lines: Int, answering: Answering) throws(WireError) -> ResponseHead {
        let line = try StatusLine(in: view)
        let fields = try FieldBlock.read(view, line.end..<(view.count - 2), lines: lines - 1)
        let declared = try fields.declaredFraming(minorVersion: line.minorVersion)
        let framing = hasBody(status: line.status, answering: answering) ? declared ?? .untilClose : .none
        let isPersistent =
            framing != .untilClose && fields.allowsPersistence(minorVersion: line.minorVersion, keepsOldVersion: true)
        return ResponseHead(
            status: line.status, reason: view.text(line.reason), minorVersion: line.minorVersion, fields: fields,
            framing: framing, isPersistent: isPersistent)
    }

    /// RFC 9112 section 6.3, rules 1 and 2.
    private static func hasBody(status: Int, answering: Answering) -> Bool {
        guard status >= 200, status != 204, status != 304 else { return false }
        switch answering {
        case .head: return false
        case .connect: return status >= 300
        case .other: return true
        }
    }
}

/// The parts of a status line. Source: RFC 9112 section 4.
private struct StatusLine {
    let status: Int
    let reason: Range<Int>
    let minorVersion: UInt8
    /// Start of the next line.
    let end: Int

    init(in view: ByteView) throws(WireError) {
        let lineEnd = try endOfStartLine(view)
        var versionEnd = 0
        while versionEnd < lineEnd, view[versionEnd] != Ascii.space { versionEnd += 1 }
        minorVersion = try readMinorVersion(view, 0..<versionEnd)
        let statusEnd = versionEnd + 4
        guard statusEnd <= lineEnd, let hundreds = decimalValue(view[versionEnd + 1]), hundreds > 0,
            let tens = decimalValue(view[versionEnd + 2]), let ones = decimalValue(view[versionEnd + 3])
        else { throw .badStartLine }
        status = Int(hundreds) * 100 + Int(tens) * 10 + Int(ones)
        // Some servers omit the space if the reason phrase is empty; nothing depends on it.
        guard statusEnd == lineEnd || view[statusEnd] == Ascii.space else { throw .badStartLine }
        reason = min(statusEnd + 1, lineEnd)..<lineEnd
        end = lineEnd + 2
    }
}

/// Searches for the empty line that ends a head or trailers, and remembers its position between calls.
struct HeadScan: Sendable {
    /// Bytes already searched.
    private(set) var scanned = 0
    /// Complete lines seen, without the empty one.
    private(set) var lines = 0
    private var lineStart = 0

    /// Returns the number of bytes including the empty line; nil if it has not arrived yet.
    ///
    /// - Parameters:
    ///   - view: begins at the same byte in each call.
    ///   - limit: largest number of bytes including the empty line.
    ///   - tooLarge: thrown if the limit is exceeded.
    mutating func end(in view: ByteView, limit: Int, tooLarge: WireError) throws(WireError) -> Int? {
        let window = min(view.count, limit)
        while true {
            let lineFeed = view.first(Ascii.lineFeed, from: scanned, to: window)
            guard lineFeed < window else { break }
            // Without its CR, two readers could see the line end in different places (RFC 9112 section 2.2).
            guard lineFeed > lineStart, view[lineFeed - 1] == Ascii.carriageReturn else { throw .bareLineFeed }
            scanned = lineFeed + 1
            if lineFeed - 1 == lineStart { return scanned }
            lineStart = scanned
            lines += 1
        }
        scanned = window
        guard view.count < limit else { throw tooLarge }
        return nil
    }
}
