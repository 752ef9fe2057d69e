/// Reads HTTP/1 messages from one direction of a connection, piece by piece. It owns no bytes and does no I/O.
///
/// The caller passes all unconsumed bytes to ``next(in:)``, drops what was consumed, and calls again until the event
/// is nil. The events of a message are a head, any number of bodies, perhaps trailers, and an end.
/// - A 1xx head other than 101 has no end of its own: the head of the same response follows. So many may come as
///   ``WireLimits`` says.
/// - The heads of CONNECT, of a 2xx answer to it, and of 101 are followed by an end. When the connection becomes a
///   tunnel there, the bytes after it are not the reader's any more.
/// - After an error every call throws the same error.
public struct MessageReader: Sendable {
    public enum Event: Sendable {
        case requestHead(RequestHead)
        case responseHead(ResponseHead)
        /// So many bytes of payload, at ``Step/body`` in the bytes given.
        case body(count: Int)
        /// Comes only when there is at least one trailer field.
        case trailers(FieldBlock)
        case end
    }

    public struct Step: Sendable {
        /// nil when more bytes are needed.
        public var event: Event?
        /// Bytes to drop, payload included; may be more than 0 without an event.
        public var consumed = 0
        /// Where the payload of ``Event/body(count:)`` is.
        public var body: Range<Int>?
    }

    enum Kind: Sendable {
        case requests, responses
    }

    enum State: Sendable {
        /// `hasSkipped`: the one empty line before a request has been passed over.
        case head(HeadScan, hasSkipped: Bool)
        /// Bytes of a body of known length that are still to come, at least one.
        case fixed(Int64)
        case chunk(ChunkState)
        case trailers(HeadScan)
        case untilClose
        /// The message is complete; its end has not been told.
        case complete
        case failed(WireError)
    }

    let kind: Kind
    let limits: WireLimits
    var state = State.head(HeadScan(), hasSkipped: false)
    var answering = ResponseHead.Answering.other
    /// Bytes of chunk extensions seen in this message.
    var extensionBytes = 0
    /// Interim heads of the response that is being read, and their bytes.
    var interimHeads = 0
    var interimHeadBytes = 0

    private init(kind: Kind, limits: WireLimits) {
        self.kind = kind
        self.limits = limits
    }

    public static func requests(limits: WireLimits = WireLimits()) -> MessageReader {
        MessageReader(kind: .requests, limits: limits)
    }

    public static func responses(limits: WireLimits = WireLimits()) -> MessageReader {
        MessageReader(kind: .responses, limits: limits)
    }

    /// True between messages, when no byte of the next one has been seen.
    public var isIdle: Bool {
        guard case .head(let scan, _) = state else { return false }
        return scan.scanned == 0
    }

    /// Tells what the next final response answers; call it before each. Without it, any method but HEAD and CONNECT.
    ///
    /// The reader does not refuse a response that nobody asked for: the caller knows what it has sent.
    public mutating func expectResponse(to method: Method) { answering = ResponseHead.Answering(method) }

    /// The next event in `bytes`, which are all the bytes not yet consumed.
    ///
    /// - Throws: what is wrong with the message; the connection can not be used any more.
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

    /// The sender has closed and all its bytes have been through ``next(in:)``.
    ///
    /// - Returns: `.end` when that completes a message, nil between messages.
    /// - Throws: ``WireError/headCutShort`` or ``WireError/bodyCutShort``, or the error met before.
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
}
