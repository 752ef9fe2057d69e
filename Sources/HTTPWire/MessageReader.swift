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
}
