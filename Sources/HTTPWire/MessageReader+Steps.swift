extension MessageReader {
    /// Goes on until there is an event, or no more bytes.
    mutating func advance(_ view: ByteView) throws(WireError) -> Step {
        switch state {
        case .head(let scan, let hasSkipped): return try readHead(view, scan, hasSkipped: hasSkipped)
        case .fixed(let left): return readFixed(view, left)
        case .chunk(let chunk): return try readChunks(view, chunk)
        case .trailers(let scan): return try readTrailers(view, from: 0, scan)
        case .untilClose: return payload(0..<view.count)
        case .complete:
            startOver()
            return Step(event: .end, consumed: 0)
        case .failed(let error): throw error
        }
    }

    /// A body event for the bytes of `range`; none when it is empty.
    func payload(_ range: Range<Int>) -> Step {
        guard !range.isEmpty else { return Step(event: nil, consumed: range.upperBound) }
        return Step(event: .body(count: range.count), consumed: range.upperBound, body: range)
    }

    private mutating func readFixed(_ view: ByteView, _ left: Int64) -> Step {
        let count = Int(min(Int64(view.count), left))
        state = Int64(count) == left ? .complete : .fixed(left - Int64(count))
        return payload(0..<count)
    }

    private mutating func readHead(_ view: ByteView, _ scan: HeadScan, hasSkipped: Bool) throws(WireError) -> Step {
        if scan.scanned == 0, !hasSkipped, kind == .requests, view.count > 0, view[0] == Ascii.carriageReturn {
            return try skipEmptyLine(view)
        }
        try checkFirstBytes(view)
        var scan = scan
        guard let end = try scan.end(in: view, limit: limits.headBytes, tooLarge: .headTooLarge) else {
            state = .head(scan, hasSkipped: hasSkipped)
            return Step(event: nil, consumed: 0)
        }
        guard scan.lines <= limits.fieldCount + 1 else { throw .tooManyFields }
        let head = ByteView(view.slice(0..<end))
        switch kind {
        case .requests:
            let request = try RequestHead.read(head, lines: scan.lines)
            state = Self.bodyState(request.framing)
            return Step(event: .requestHead(request), consumed: end)
        case .responses:
            let response = try ResponseHead.read(head, lines: scan.lines, answering: answering)
            state = response.isInterim ? .head(HeadScan(), hasSkipped: false) : Self.bodyState(response.framing)
            return Step(event: .responseHead(response), consumed: end)
        }
    }

    /// Passes over one empty line before a request. Source: RFC 9112 section 2.2.
    private mutating func skipEmptyLine(_ view: ByteView) throws(WireError) -> Step {
        guard view.count > 1 else { return Step(event: nil, consumed: 0) }
        guard view[1] == Ascii.lineFeed else { throw .bareCarriageReturn }
        state = .head(HeadScan(), hasSkipped: true)
        var step = try readHead(view.dropFirst(2), HeadScan(), hasSkipped: true)
        step.consumed += 2
        return step
    }

    /// Tells at once when the other side speaks another protocol, instead of waiting for an empty line.
    private func checkFirstBytes(_ view: ByteView) throws(WireError) {
        guard view.count > 0 else { return }
        switch kind {
        case .requests:
            guard isTokenByte(view[0]) else { throw .badStartLine }
        case .responses:
            let wanted: StaticString = "HTTP/"
            for index in 0..<min(view.count, limits.headBytes, wanted.utf8CodeUnitCount)
            where view[index] != wanted.utf8Start[index] { throw .badStartLine }
        }
    }

    private static func bodyState(_ framing: BodyFraming) -> State {
        switch framing {
        case .none, .fixed(0): .complete
        case .fixed(let length): .fixed(length)
        case .chunked: .chunk(.size(0, digits: 0))
        case .untilClose: .untilClose
        }
    }

    /// Reads trailers that begin at `start`. Source: RFC 9112 section 7.1.2.
    mutating func readTrailers(_ view: ByteView, from start: Int, _ scan: HeadScan) throws(WireError) -> Step {
        let rest = view.dropFirst(start)
        var scan = scan
        guard let end = try scan.end(in: rest, limit: limits.trailerBytes, tooLarge: .trailersTooLarge) else {
            state = .trailers(scan)
            return Step(event: nil, consumed: start)
        }
        guard scan.lines <= limits.fieldCount else { throw .tooManyFields }
        let fields = try FieldBlock.read(rest, 0..<(end - 2), lines: scan.lines)
        guard !fields.isEmpty else {
            startOver()
            return Step(event: .end, consumed: start + end)
        }
        state = .complete
        return Step(event: .trailers(fields), consumed: start + end)
    }
}
