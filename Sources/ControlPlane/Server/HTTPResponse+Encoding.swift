import FlyingFox
import Foundation
import Text

extension HTTPResponse {
    /// Status line and fields.
    ///
    /// - Parameters:
    ///   - isLast: the connection is closed behind it.
    ///   - hasChunks: a body of no known length comes in chunks; without them its end is that of the connection.
    func encodedHead(isLast: Bool, hasChunks: Bool = true) -> Data {
        var text = "HTTP/1.1 \(statusCode.code) \(statusCode.phrase)\r\n"
        for (name, value) in headers { text += "\(name.rawValue): \(value.filter { !$0.isNewline })\r\n" }
        if case .httpBody(let body) = payload {
            let chunked = hasChunks ? "Transfer-Encoding: chunked\r\n" : ""
            text += body.count.map { "Content-Length: \($0)\r\n" } ?? chunked
        }
        if isLast { text += "Connection: close\r\n" }
        return Data((text + "\r\n").utf8)
    }

    /// - Parameter type: a media type.
    static func content(_ type: String, _ body: Data, status: Int = 200) -> HTTPResponse {
        var headers = HTTPHeaders()
        headers[.contentType] = type
        return HTTPResponse(statusCode: .named(status), headers: headers, body: body)
    }

    /// A few words for people.
    static func plain(_ text: String, status: Int = 200) -> HTTPResponse {
        content("text/plain; charset=utf-8", Data(text.utf8), status: status)
    }

    static func json(_ value: JSONValue, status: Int = 200) -> HTTPResponse {
        content("application/json", Data((value.text + "\n").utf8), status: status)
    }
}

extension HTTPStatusCode {
    /// With its phrase, where the page has a use for it.
    static func named(_ status: Int) -> HTTPStatusCode { HTTPStatusCode(status, phrase: phrases[status] ?? "OK") }
}

/// Reason phrases are for people; readers go by the number (RFC 9112 section 4).
private let phrases = [
    400: "Bad Request", 401: "Unauthorized", 403: "Forbidden", 404: "Not Found", 405: "Method Not Allowed",
    409: "Conflict", 413: "Content Too Large", 421: "Misdirected Request", 422: "Unprocessable Content",
    431: "Request Header Fields Too Large", 500: "Internal Server Error", 501: "Not Implemented",
    503: "Service Unavailable", 505: "HTTP Version Not Supported",
]
