import Bytes

extension MessageReader {
    /// Reads until an event, or the end of the bytes. Fills the step in place, because moving heads is expensive.
    mutating func advance(_ view: ByteView, _ step: inout Step) throws(WireError) {
        switch state {
        case .head(let scan, let hasSkipped): try readHead(view, scan, hasSkipped: hasSkipped, &step)
        case .fixed(let left): readFixed(view, left, &step)
        case .chunk(let chunk): try readChunks(view, chunk, &step)
        case .trailers(let scan): try readTrailers(view, scan, &step)
        case .untilClose: step.setPayload(0..<view.count)
        case .complete:
            startOver()
            step.event = .end
        case .failed(let error): throw error
        }
    }

    private mutating func readFixed(_ view: ByteView, _ left: Int64, _ step: inout Step) {
        let count = Int(min(Int64(view.count), left))
        state = Int64(count) == left ? .complete : .fixed(left - Int64(count))
        step.setPayload(0..<count)
    }

    private mutating func readHead(
        _ view: ByteView, _ scan: HeadScan, hasSkipped: Bool, _ step: inout Step
    ) throws(WireError) {
        if scan.scanned == 0, !hasSkipped, kind == .requests, view.count > 0, view[0] == Ascii.carriageReturn {
            return try skipEmptyLine(view, &step)
        }
        try checkFirstBytes(view)
        var scan = scan
        guard let end = try scan.end(in: view, limit: limits.headBytes, tooLarge: .headTooLarge) else {
            state = .head(scan, hasSkipped: hasSkipped)
            return
        }
        guard scan.lines <= limits.fieldCount + 1 else { throw .tooManyFields }
        step.consumed += end
        try readCompleteHead(ByteView(view.slice(0..<end)), lines: scan.lines, &step)
    }

    /// Reads a complete head.
    private mutating func readCompleteHead(_ head: ByteView, lines: Int, _ step: inout Step) throws(WireError) {
        switch kind {
        case .requests:
            let request = try RequestHead.read(head, lines: lines)
            try checkOptions(of: request.fields)
            state = Self.bodyState(request.framing)
            step.event = .requestHead(request)
        case .responses:
            let response = try ResponseHead.read(head, lines: lines, answering: answering)
            try checkOptions(of: response.fields)
            if response.isInterim { try countInterim(head.count) }
            state = response.isInterim ? .head(HeadScan(), hasSkipped: false) : Self.bodyState(response.framing)
            step.event = .responseHead(response)
        }
    }

    /// Counts the options of Connection and the protocols of Upgrade: few bytes can name thousands.
    private func checkOptions(of fields: FieldBlock) throws(WireError) {
        guard fields.count + fields.furtherOptions <= limits.fieldCount else { throw .tooManyFields }
    }

    private mutating func countInterim(_ bytes: Int) throws(WireError) {
        interimHeads += 1
        interimHeadBytes += bytes
        guard interimHeads <= limits.interimHeads, interimHeadBytes <= limits.interimHeadBytes else {
            throw .tooManyInterimHeads
        }
    }

    /// Skips one empty line before a request. Source: RFC 9112 section 2.2.
    private mutating func skipEmptyLine(_ view: ByteView, _ step: inout Step) throws(WireError) {
        guard view.count > 1 else { return }
        guard view[1] == Ascii.lineFeed else { throw .bareCarriageReturn }
        state = .head(HeadScan(), hasSkipped: true)
        step.consumed = 2
        try readHead(view.dropFirst(2), HeadScan(), hasSkipped: true, &step)
    }

    /// Detects another protocol by its first bytes, instead of waiting for an empty line.
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

    /// Reads trailers that begin `step.consumed` bytes after the start of `view`. Source: RFC 9112 section 7.1.2.
    mutating func readTrailers(_ view: ByteView, _ scan: HeadScan, _ step: inout Step) throws(WireError) {
        let rest = view.dropFirst(step.consumed)
        var scan = scan
        guard let end = try scan.end(in: rest, limit: limits.trailerBytes, tooLarge: .trailersTooLarge) else {
            state = .trailers(scan)
            return
        }
        guard scan.lines <= limits.fieldCount else { throw .tooManyFields }
        let fields = try FieldBlock.read(rest, 0..<(end - 2), lines: scan.lines)
        try checkOptions(of: fields)
        step.consumed += end
        if fields.isEmpty {
            startOver()
            step.event = .end
        } else {
            state = .complete
            step.event = .trailers(fields)
        }
    }
}

extension MessageReader.Step {
    /// Sets a body event for the bytes of `range`, or none if it is empty.
    mutating func setPayload(_ range: Range<Int>) {
        consumed = range.upperBound
        guard !range.isEmpty else { return }
        event = .body(count: range.count)
        body = range
    }
}
