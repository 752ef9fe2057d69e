import HTTPWire
import Text

/// What a request is answered with.
public struct WebAnswer: Sendable {
    /// An HTTP status.
    public var status: Int
    let mediaType: String?
    var fields = SecurityHeaders.fields
    let body: WebBody

    /// - Parameter mediaType: nil for nothing of any type.
    init(_ mediaType: String?, body: WebBody, status: Int = 200) {
        self.status = status
        self.mediaType = mediaType
        self.body = body
    }

    /// - Parameter mediaType: nil for nothing of any type.
    public init(_ mediaType: String?, _ bytes: [UInt8], status: Int = 200) {
        self.init(mediaType, body: .bytes(bytes[...]), status: status)
    }

    /// A few words for people.
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

/// What an answer hands over, piece by piece: each is made when those before have been taken.
enum WebBody: Sendable {
    /// Those that are still to be handed over.
    case bytes(ArraySlice<UInt8>)
    /// Made one after the other where it may block; nil is the end.
    case pieces(@Sendable () throws -> [UInt8]?)
    /// What there is to tell at each beat; it ends with its reader.
    case events(EventStream)

    /// In bytes; nil where only the end tells.
    var length: Int64? {
        switch self {
        case .bytes(let bytes): Int64(bytes.count)
        case .pieces, .events: nil
        }
    }
}
