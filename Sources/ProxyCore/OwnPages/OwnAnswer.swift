import Bytes
import HTTPWire

/// One of the gate's own pages or files.
public struct OwnAnswer: Sendable {
    /// An HTTP status.
    public var status: Int
    public var mediaType: String
    /// Header fields in addition to type and length.
    public var fields: [(name: String, value: String)]
    public var body: [UInt8]

    public init(
        _ mediaType: String, _ body: [UInt8], status: Int = 200, fields: [(name: String, value: String)] = []
    ) {
        self.status = status
        self.mediaType = mediaType
        self.fields = fields
        self.body = body
    }

    static let nothing = OwnAnswer("text/plain; charset=utf-8", Array("Page not found.\n".utf8), status: 404)
    static let onlyForReading = OwnAnswer(
        "text/plain; charset=utf-8", Array("Only GET and HEAD are allowed.\n".utf8), status: 405,
        fields: [("Allow", "GET, HEAD")])
}

extension ClientStream {
    /// Writes one of the gate's own pages.
    ///
    /// - Parameter isLast: the gate closes the connection afterwards.
    /// - Returns: true if another request may follow.
    func give(_ answer: OwnAnswer, to head: RequestHead, isLast: Bool) -> Bool {
        var block = FieldBlock()
        block.append(.cacheControl, "no-store")
        block.append(.server, "atsgate")
        for field in answer.fields { block.append(field.name, field.value) }
        let own = AnswerHead(
            status: answer.status, mediaType: answer.mediaType, length: Int64(answer.body.count), fields: block)
        // A request's body is not read, so its end is not found and the response is the last.
        let isLast = isLast || head.framing != .none
        var goesOn = false
        compose { queue in
            let form = MessageWriter.answer(own, to: head, isLast: isLast, queue: queue)
            if form.framing != nil { queue.append(answer.body) }
            goesOn = form.isPersistent
        }
        return goesOn
    }
}
