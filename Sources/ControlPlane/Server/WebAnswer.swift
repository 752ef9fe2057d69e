import HTTPWire
import Resources
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

/// The reason why a request is refused.
public struct WebProblem: Error, Sendable, Hashable {
    /// An HTTP status.
    public let status: Int
    /// One sentence for the user.
    public let sentence: String

    public init(_ status: Int, _ sentence: String) {
        self.status = status
        self.sentence = sentence
    }

    /// `{"error": "..."}`.
    var answer: WebAnswer { .json(.object([("error", .string(sentence))]), status: status) }
}

/// The security headers of every answer. Source: Content Security Policy Level 3; Fetch, sections 3.5 to 3.7; Trusted
/// Types.
enum SecurityHeaders {
    /// No content from other sites, nothing inline, no framing, no text that becomes markup, no caching.
    static let fields: FieldBlock = {
        var block = FieldBlock()
        for (name, value) in lines { block.append(name, value) }
        return block
    }()

    private static let lines = [
        (
            "Content-Security-Policy",
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
                + "manifest-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
                + "require-trusted-types-for 'script'; trusted-types 'none'"
        ),
        ("X-Content-Type-Options", "nosniff"), ("X-Frame-Options", "DENY"), ("Referrer-Policy", "no-referrer"),
        ("Cross-Origin-Opener-Policy", "same-origin"), ("Cross-Origin-Resource-Policy", "same-origin"),
        ("Cache-Control", "no-store"), ("Server", "atsgate"),
    ]
}

extension WebAnswer {
    /// A page for users without the token, which explains how to get it.
    ///
    /// - Parameter sentence: the reason for the refusal.
    static func noToken(_ sentence: String) -> WebAnswer {
        let text = Resource("page/no-token.html").text.replacing("SENTENCE", with: XMLText.escaped(sentence))
        return WebAnswer("text/html; charset=utf-8", Array(text.utf8), status: 401)
    }
}
