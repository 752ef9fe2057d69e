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
