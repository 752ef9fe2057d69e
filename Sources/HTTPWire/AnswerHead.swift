public import Bytes

/// The head of a response that atsgate makes itself: a refusal of the gate, one of its pages, or a response of the lab.
/// A response of an origin is a ``ResponseHead``.
public struct AnswerHead: Sendable {
    /// Three digits, 200 to 999.
    public var status: Int
    /// nil to leave Content-Type out.
    public var mediaType: String?
    /// Bytes of the body; nil if unknown before its end.
    public var length: Int64?
    /// All other fields: not Content-Type, not the framing, not Connection.
    public var fields: FieldBlock

    public init(status: Int = 200, mediaType: String?, length: Int64?, fields: FieldBlock = FieldBlock()) {
        self.status = status
        self.mediaType = mediaType
        self.length = length
        self.fields = fields
    }

    /// The same head for HTTP/2, which has no reason phrases and frames bodies differently.
    public var response: ResponseHead {
        var block = FieldBlock()
        if let mediaType { block.append(.contentType, mediaType) }
        if let length { block.append(.contentLength, "\(length)") }
        fields.walk { record, view in
            block.copy(record, from: view)
            return true
        }
        return ResponseHead(
            status: status, reason: "", fields: block, framing: length.map { .fixed($0) } ?? .chunked)
    }
}

/// How a response of our own continues after its head.
public struct AnswerFraming: Sendable, Hashable {
    /// The framing of the body; nil if it must not have one: to HEAD, and with 204 and 304 (RFC 9112 section 6.3).
    public let framing: BodyFraming?
    /// True if another request may follow.
    public let isPersistent: Bool

    /// - Parameters:
    ///   - request: nil if it could not be read, which ends the connection.
    ///   - isLast: true to end the connection in any case.
    init(of head: AnswerHead, to request: RequestHead?, isLast: Bool) {
        // HTTP/1.0 has no chunks (RFC 9112 section 6.1).
        let open: BodyFraming = request?.minorVersion == 1 ? .chunked : .untilClose
        let framing = head.length.map { .fixed($0) } ?? open
        let hasBody = request?.method != .head && !head.isBodiless
        self.framing = hasBody ? framing : nil
        isPersistent = request?.isPersistent == true && !isLast && (!hasBody || framing != .untilClose)
    }
}

extension AnswerHead {
    fileprivate var isBodiless: Bool { status == 204 || status == 304 }
}

extension MessageWriter {
    /// Writes the status line and fields of a response of our own. It has no Via, because it was not forwarded.
    ///
    /// - Parameters:
    ///   - request: the answered request; nil if it could not be read, which ends the connection.
    ///   - isLast: true if the connection ends with this response, even if the client would keep it.
    /// - Returns: the framing of the body, and whether the connection persists.
    @discardableResult
    public static func answer(
        _ head: AnswerHead, to request: RequestHead?, isLast: Bool = false, queue: ByteQueue
    ) -> AnswerFraming {
        let form = AnswerFraming(of: head, to: request, isLast: isLast)
        let room = head.fields.storage.count + (head.mediaType?.utf8.count ?? 0) + answerRoom
        queue.append(limit: room) { memory in
            var memoryWriter = MemoryWriter(memory)
            memoryWriter.put("HTTP/1.1 ")
            memoryWriter.put(UInt64(max(head.status, 0)), radix: 10)
            memoryWriter.put(Ascii.space)
            memoryWriter.put(ReasonPhrase.of(head.status))
            memoryWriter.put("\r\n")
            if let mediaType = head.mediaType {
                memoryWriter.put("Content-Type: ")
                memoryWriter.put(checked: mediaType)
                memoryWriter.put("\r\n")
            }
            // A response to HEAD contains the length that GET would have (RFC 9110 section 8.6).
            if let length = head.length, !head.isBodiless {
                memoryWriter.putFraming(.fixed(length))
            } else {
                memoryWriter.putFraming(form.framing ?? .none)
            }
            head.fields.walk { record, view in
                memoryWriter.put(view.slice(record.line))
                return true
            }
            if !form.isPersistent { memoryWriter.putConnection(.close) }
            memoryWriter.put("\r\n")
            return memoryWriter.used
        }
        return form
    }

    /// Asks the client to send its body: 100 Continue (RFC 9110 section 10.1.1).
    public static func sendContinue(queue: ByteQueue) { queue.append("HTTP/1.1 100 Continue\r\n\r\n") }

    /// Bytes for the lines that are not fields of the head, the longest phrase included.
    private static let answerRoom = 256
}
