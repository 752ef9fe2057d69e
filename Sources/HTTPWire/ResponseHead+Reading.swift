import Bytes

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
