public import Bytes

/// The head of an answer of our own: of the gate where it refuses, of its pages, and of the lab. What an origin answered
/// is a ``ResponseHead``.
public struct AnswerHead: Sendable {
    /// Three digits, 200 to 999.
    public var status: Int
    /// nil where no type is told.
    public var mediaType: String?
    /// Bytes of the body; nil where only its end will tell.
    public var length: Int64?
    /// Besides Content-Type, what frames the body, and Connection.
    public var fields: FieldBlock

    public init(status: Int = 200, mediaType: String?, length: Int64?, fields: FieldBlock = FieldBlock()) {
        self.status = status
        self.mediaType = mediaType
        self.length = length
        self.fields = fields
    }

    /// The same for HTTP/2, which has no phrases and frames bodies by itself.
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

/// What follows the head of an answer of our own on its connection.
public struct AnswerForm: Sendable, Hashable {
    /// How the body is to be written; nil where none may be: to HEAD, and with 204 and 304 (RFC 9112 section 6.3).
    public let framing: BodyFraming?
    /// Another request may follow.
    public let isPersistent: Bool

    /// - Parameters:
    ///   - request: nil where it could not be read, which ends the connection.
    ///   - isLast: the connection is to end in any case.
    init(of head: AnswerHead, to request: RequestHead?, isLast: Bool) {
        // HTTP/1.0 knows no chunks (RFC 9112 section 6.1).
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
    /// Writes status line and fields of an answer of our own. No Via: nothing was passed on.
    ///
    /// - Parameters:
    ///   - request: what is answered; nil where it could not be read, which ends the connection.
    ///   - isLast: the connection ends with this answer, whatever the client would like.
    /// - Returns: how the body is to be written.
    @discardableResult
    public static func answer(
        _ head: AnswerHead, to request: RequestHead?, isLast: Bool = false, queue: ByteQueue
    ) -> AnswerForm {
        let form = AnswerForm(of: head, to: request, isLast: isLast)
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
            // HEAD is told how long the body would be (RFC 9110 section 8.6).
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

    /// Tells a client that its body is welcome (RFC 9110 section 10.1.1).
    public static func welcomeBody(queue: ByteQueue) { queue.append("HTTP/1.1 100 Continue\r\n\r\n") }

    /// Bytes for the lines that are not fields of the head, the longest phrase included.
    private static let answerRoom = 256
}
