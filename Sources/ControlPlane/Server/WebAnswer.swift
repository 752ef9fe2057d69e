import HTTPWire
import Text

/// The answer to a request.
public struct WebAnswer: Sendable {
    /// An HTTP status.
    public var status: Int
    let mediaType: String?
    var fields = SecurityHeaders.fields
    let body: WebBody

    /// - Parameter mediaType: nil if the body is empty.
    init(_ mediaType: String?, body: WebBody, status: Int = 200) {
        self.status = status
        self.mediaType = mediaType
        self.body = body
    }

    /// - Parameter mediaType: nil if the body is empty.
    public init(_ mediaType: String?, _ bytes: [UInt8], status: Int = 200) {
        self.init(mediaType, body: .bytes(bytes[...]), status: status)
    }

    /// A short text for the user.
    public static func plain(_ text: String, status: Int = 200) -> WebAnswer {
        WebAnswer("text/plain; charset=utf-8", Array(text.utf8), status: status)
    }

    static func json(_ value: JSONValue, status: Int = 200) -> WebAnswer {
        WebAnswer("application/json", Array((value.text + "\n").utf8), status: status)
    }

    var head: AnswerHead {
        AnswerHead(status: status, mediaType: mediaType, length: body.length, fields: fields)
    }
}

/// The body of an answer, written piece by piece: each piece is made only after the previous one was written.
enum WebBody: Sendable {
    /// The bytes that are not written yet.
    case bytes(ArraySlice<UInt8>)
    /// Pieces that a closure makes one after the other, off the event loop; nil ends the body.
    case pieces(@Sendable () throws -> [UInt8]?)
    /// An event stream, which is written at each beat until the client leaves.
    case events(EventStream)

    /// The length in bytes; nil if it is unknown until the body ends.
    var length: Int64? {
        switch self {
        case .bytes(let bytes): Int64(bytes.count)
        case .pieces, .events: nil
        }
    }
}
