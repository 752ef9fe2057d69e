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
        let goesOn = head.isPersistent && head.framing == .none && !isLast
        let reason = [200: "OK", 404: "Not Found", 405: "Method Not Allowed"][answer.status] ?? ""
        compose { queue in
            queue.append("HTTP/1.1 \(answer.status) \(reason)\r\nContent-Type: \(answer.mediaType)\r\n")
            queue.append("Content-Length: \(answer.body.count)\r\nCache-Control: no-store\r\nServer: atsgate\r\n")
            for field in answer.fields { queue.append("\(field.name): \(field.value)\r\n") }
            queue.append(goesOn ? "\r\n" : "Connection: close\r\n\r\n")
            if head.method != .head { answer.body.withUnsafeBytes { queue.append($0) } }
        }
        return goesOn
    }
}
