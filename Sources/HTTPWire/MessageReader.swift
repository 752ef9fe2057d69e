import Bytes

/// An incremental parser of HTTP/1 messages for one direction of a connection. It owns no bytes and does no I/O.
///
/// The caller passes all unconsumed bytes to ``next(in:)``, drops the consumed ones, and repeats until the event is
/// nil. The events of a message are a head, any number of bodies, possibly trailers, and an end.
/// - A 1xx head other than 101 has no end: the next head belongs to the same response. ``WireLimits`` limits their
///   number.
/// - The heads of CONNECT, of a 2xx response to it, and of 101 are followed by an end. If the connection becomes a
///   tunnel there, the reader must not get the bytes after it.
/// - After an error every call throws the same error.
public struct MessageReader: Sendable {
    public enum Event: Sendable {
        case requestHead(RequestHead)
        case responseHead(ResponseHead)
        /// This many bytes of payload, at ``Step/body`` in the passed bytes.
        case body(count: Int)
        /// Only if there is at least one trailer field.
        case trailers(FieldBlock)
        case end
    }

    public struct Step: Sendable {
        /// nil if more bytes are needed.
        public var event: Event?
        /// Bytes to drop, payload included; may be more than 0 without an event.
        public var consumed = 0
        /// The payload of ``Event/body(count:)``.
        public var body: Range<Int>?
    }

    enum Kind: Sendable {
        case requests, responses
    }

    enum State: Sendable {
        /// `hasSkipped`: the one empty line that may come before a request was skipped.
        case head(HeadScan, hasSkipped: Bool)
        /// Bytes of a body of known length still to come, at least one.
        case fixed(Int64)
        case chunk(ChunkState)
        case trailers(HeadScan)
        case untilClose
        /// The message is complete, but its end event was not returned yet.
        case complete
        case failed(WireError)
    }

    let kind: Kind
    let limits: WireLimits
    var state = State.head(HeadScan(), hasSkipped: false)
    var answering = ResponseHead.Answering.other
    /// Bytes of chunk extensions in this message so far.
    var extensionBytes = 0
    /// Interim heads of the current response, and their bytes.
    var interimHeads = 0
    var interimHeadBytes = 0

    public static func requests(limits: WireLimits = WireLimits()) -> MessageReader {
        MessageReader(kind: .requests, limits: limits)
    }

    public static func responses(limits: WireLimits = WireLimits()) -> MessageReader {
        MessageReader(kind: .responses, limits: limits)
    }

    /// True between messages, before the first byte of the next one.
    public var isIdle: Bool {
        guard case .head(let scan, _) = state else { return false }
        return scan.scanned == 0
    }

    /// Sets the method of the request that the next final response answers; call it before each. Without a call, any
    /// method but HEAD and CONNECT is assumed.
    ///
    /// The reader accepts responses without a request; the caller knows what it sent.
    public mutating func expectResponse(to method: Method) { answering = ResponseHead.Answering(method) }

    /// Returns the next event in `bytes`, which are all the bytes not yet consumed.
    ///
    /// - Throws: the error in the message; the connection must no longer be used.
    public mutating func next(in bytes: UnsafeRawBufferPointer) throws(WireError) -> Step {
        var step = Step()
        do throws(WireError) {
            try advance(ByteView(bytes), &step)
        } catch {
            state = .failed(error)
            throw error
        }
        return step
    }

    /// Handles the end of the connection, after all bytes were passed to ``next(in:)``.
    ///
    /// - Returns: `.end` if that completes a message, nil between messages.
    /// - Throws: ``WireError/headCutShort`` or ``WireError/bodyCutShort``, or the earlier error.
    public mutating func endOfInput() throws(WireError) -> Event? {
        switch state {
        case .head where isIdle: return nil
        case .untilClose, .complete:
            startOver()
            return .end
        case .failed(let error): throw error
        case .head: state = .failed(.headCutShort)
        case .fixed, .chunk, .trailers: state = .failed(.bodyCutShort)
        }
        return try endOfInput()
    }

    mutating func startOver() {
        state = .head(HeadScan(), hasSkipped: false)
        answering = .other
        extensionBytes = 0
        interimHeads = 0
        interimHeadBytes = 0
    }

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

/// The reader's position in a chunk. Source: RFC 9112 section 7.1.
enum ChunkState: Sendable {
    /// In the size: its value so far, and how many digits it has.
    case size(Int64, digits: Int)
    /// In extensions, which are skipped.
    case extensions(Int64)
    /// After the CR of the size line.
    case sizeLineFeed(Int64)
    /// In the payload; the bytes still to come, at least one.
    case data(Int64)
    /// Before the CR, or before the LF, after the payload.
    case dataReturn
    case dataLineFeed
}

extension MessageReader {
    /// Reads chunk lines until payload, or the end of the bytes.
    mutating func readChunks(_ view: ByteView, _ chunk: ChunkState, _ step: inout Step) throws(WireError) {
        var chunk = chunk
        var index = 0
        while index < view.count {
            switch chunk {
            case .size(let size, let digits):
                chunk = try afterSizeByte(view[index], size, digits)
            case .extensions(let size):
                chunk = try afterExtensionByte(view[index], size)
            case .sizeLineFeed(let size):
                guard view[index] == Ascii.lineFeed else { throw .bareCarriageReturn }
                guard size > 0 else {
                    step.consumed = index + 1
                    return try readTrailers(view, HeadScan(), &step)
                }
                chunk = .data(size)
            case .data(let left):
                let count = Int(min(Int64(view.count - index), left))
                state = .chunk(Int64(count) == left ? .dataReturn : .data(left - Int64(count)))
                return step.setPayload(index..<(index + count))
            case .dataReturn:
                guard view[index] == Ascii.carriageReturn else { throw .badChunk }
                chunk = .dataLineFeed
            case .dataLineFeed:
                guard view[index] == Ascii.lineFeed else { throw .badChunk }
                chunk = .size(0, digits: 0)
            }
            index += 1
        }
        state = .chunk(chunk)
        step.consumed = index
    }

    private func afterSizeByte(_ byte: UInt8, _ size: Int64, _ digits: Int) throws(WireError) -> ChunkState {
        if let digit = hexadecimalValue(byte) {
            // Sixteen digits hold every Int64; more leading zeros have no legitimate use.
            guard digits < 16, size <= Int64.max >> 4 else { throw .chunkSizeOverflow }
            return .size(size << 4 | Int64(digit), digits: digits + 1)
        }
        guard digits > 0 else { throw .badChunk }
        switch byte {
        case Ascii.semicolon: return .extensions(size)
        case Ascii.carriageReturn: return .sizeLineFeed(size)
        case Ascii.lineFeed: throw .bareLineFeed
        default: throw .badChunk
        }
    }

    private mutating func afterExtensionByte(_ byte: UInt8, _ size: Int64) throws(WireError) -> ChunkState {
        switch byte {
        case Ascii.carriageReturn: return .sizeLineFeed(size)
        case Ascii.lineFeed: throw .bareLineFeed
        case 0: throw .nulByte
        case _ where isControl(byte): throw .badChunk
        default:
            extensionBytes += 1
            guard extensionBytes <= limits.chunkExtensionBytes else { throw .chunkExtensionTooLong }
            return .extensions(size)
        }
    }

    /// Bytes still to come of a body of known length; nil outside such a body.
    public var fixedBytesLeft: Int64? {
        if case .fixed(let left) = state { left } else { nil }
    }

    /// Counts payload that was forwarded without ``next(in:)``.
    ///
    /// - Precondition: `count` is less than ``fixedBytesLeft``; the last byte is always read.
    public mutating func skipPayload(_ count: Int64) {
        guard case .fixed(let left) = state, count >= 0, count < left else {
            preconditionFailure("skipPayload is only for the inside of a body of known length")
        }
        state = .fixed(left - count)
    }
}
