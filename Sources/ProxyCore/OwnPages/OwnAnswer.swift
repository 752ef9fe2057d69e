import Bytes
import HTTPWire

/// A page of the gate's own, or a file.
public struct OwnAnswer: Sendable {
    /// An HTTP status.
    public var status: Int
    public var mediaType: String
    /// Besides type and length.
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

    static let nothing = OwnAnswer("text/plain; charset=utf-8", Array("Nothing is here.\n".utf8), status: 404)
    static let onlyForReading = OwnAnswer(
        "text/plain; charset=utf-8", Array("This can only be read.\n".utf8), status: 405,
        fields: [("Allow", "GET, HEAD")])
}

extension ClientStream {
    /// Writes a page of the gate's own.
    ///
    /// - Parameter isLast: the gate wants to be rid of the client.
    /// - Returns: whether another request may follow.
    func give(_ answer: OwnAnswer, to head: RequestHead, isLast: Bool) -> Bool {
        var block = FieldBlock()
        block.append(.cacheControl, "no-store")
        block.append(.server, "atsgate")
        for field in answer.fields { block.append(field.name, field.value) }
        let own = AnswerHead(
            status: answer.status, mediaType: answer.mediaType, length: Int64(answer.body.count), fields: block)
        // What a body would say is of no interest, nor where it ends.
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
