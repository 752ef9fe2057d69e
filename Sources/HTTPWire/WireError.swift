/// An error in a message. No error is repaired: the sender gets an error response, and the connection is closed.
///
/// Raw values are shown in logs: never rename one, only add.
public enum WireError: String, Error, Sendable, Hashable, CaseIterable {
    /// Content-Length together with Transfer-Encoding (RFC 9112 section 6.1).
    case bothLengthAndChunked
    /// More than one Content-Length, or a list in it, even when the numbers agree (RFC 9112 section 6.3).
    case conflictingLengths
    /// A Content-Length that is not a decimal number up to Int64.max (RFC 9110 section 8.6).
    case badLength
    /// A transfer coding before the final `chunked` that is not supported (RFC 9112 section 6.1).
    case unknownTransferCoding
    /// A Transfer-Encoding that does not end in exactly one `chunked` (RFC 9112 sections 6.1 and 7.1).
    case nonFinalChunked
    /// Transfer-Encoding in an HTTP/1.0 message (RFC 9112 section 6.1).
    case chunkedInOldVersion
    /// CONNECT with a body, whose end could not be distinguished from the tunnel (RFC 9110 section 9.3.6).
    case connectWithBody
    /// A line that begins with white space (RFC 9112 section 5.2).
    case foldedField
    /// White space between a field name and its colon (RFC 9112 section 5.1).
    case spaceBeforeColon
    /// CR without LF (RFC 9112 section 2.2).
    case bareCarriageReturn
    /// LF without CR (RFC 9112 section 2.2).
    case bareLineFeed
    case nulByte
    /// A field name that is empty or not a token, or a line without a colon (RFC 9110 section 5.1).
    case badFieldName
    /// A control character in a field value (RFC 9110 section 5.5).
    case badFieldValue
    case badStartLine
    /// A version other than 1.0 and 1.1.
    case badVersion
    case badTarget
    /// A Host that is not a host with an optional port (RFC 9112 section 3.2).
    case badHost
    case missingHost
    case severalHosts
    case headTooLarge
    /// More fields than allowed, or more options of Connection and protocols of Upgrade.
    case tooManyFields
    case chunkSizeOverflow
    /// A chunk size that is not a hexadecimal number, or chunk data that does not end in CRLF (RFC 9112 section 7.1).
    case badChunk
    /// More chunk extensions than allowed for one message (RFC 9112 section 7.1.1).
    case chunkExtensionTooLong
    case trailersTooLarge
    /// Too many interim heads of one response (RFC 9110 section 15.2 sets no limit), or too many bytes of them.
    case tooManyInterimHeads
    /// The connection ended inside a head.
    case headCutShort
    /// The connection ended inside a body (RFC 9112 section 8).
    case bodyCutShort

    /// The status to answer with if a request has the error. For a response the status is always 502.
    public var status: Int {
        switch self {
        case .headTooLarge, .tooManyFields, .trailersTooLarge: 431  // RFC 6585 section 5
        case .badVersion: 505
        case .unknownTransferCoding: 501
        case .bothLengthAndChunked, .conflictingLengths, .badLength, .nonFinalChunked, .chunkedInOldVersion,
            .connectWithBody, .foldedField, .spaceBeforeColon, .bareCarriageReturn, .bareLineFeed, .nulByte,
            .badFieldName, .badFieldValue, .badStartLine, .badTarget, .badHost, .missingHost, .severalHosts,
            .chunkSizeOverflow, .badChunk, .chunkExtensionTooLong, .tooManyInterimHeads, .headCutShort, .bodyCutShort:
            400
        }
    }

    /// The error as a sentence for users.
    public var sentence: String {
        switch self {
        case .bothLengthAndChunked: "The message has both Content-Length and Transfer-Encoding."
        case .conflictingLengths: "The message has more than one Content-Length."
        case .badLength: "Content-Length is not a decimal number."
        case .unknownTransferCoding: "The message uses a transfer coding other than chunked."
        case .nonFinalChunked: "Transfer-Encoding does not end in exactly one chunked."
        case .chunkedInOldVersion: "An HTTP/1.0 message has Transfer-Encoding."
        case .connectWithBody: "A CONNECT request announces a body."
        case .bareCarriageReturn: "A carriage return has no line feed after it."
        case .bareLineFeed: "A line ends in a line feed alone."
        case .nulByte: "The message head contains a NUL byte."
        case .badStartLine: "The first line is neither a request line nor a status line of HTTP/1."
        case .badVersion: "The HTTP version is neither 1.0 nor 1.1."
        case .badTarget: "The request target is not valid for its method."
        case .headTooLarge: "The message head is larger than allowed."
        case .headCutShort: "The connection ended inside a message head."
        case .bodyCutShort: "The connection ended inside a message body."
        case .foldedField: "A header line begins with white space."
        case .spaceBeforeColon: "There is white space between a field name and its colon."
        case .badFieldName: "A field name is empty or contains a character that is not allowed."
        case .badFieldValue: "A field value contains a control character."
        case .badHost: "Host is not a host name or address with an optional port."
        case .missingHost: "An HTTP/1.1 request has no Host."
        case .severalHosts: "The request has more than one Host."
        case .tooManyFields: "The message has more fields, or more Connection options, than allowed."
        case .chunkSizeOverflow: "A chunk size is larger than supported."
        case .badChunk: "The chunked body is malformed."
        case .chunkExtensionTooLong: "The chunk extensions are longer than allowed."
        case .trailersTooLarge: "The trailers are larger than allowed."
        case .tooManyInterimHeads: "The response has more interim heads than allowed."
        }
    }
}

/// The largest accepted sizes of the parts of a message.
public struct WireLimits: Sendable, Hashable {
    /// Bytes of a head, from its start line to its empty line.
    public var headBytes = 65_536
    /// Fields in a head, or in trailers. Each option of Connection and each protocol of Upgrade counts as a field, because
    /// all of them are compared with the fields.
    public var fieldCount = 256
    /// Bytes of trailers, including their empty line.
    public var trailerBytes = 16_384
    /// Bytes of chunk extensions in one message, all chunks together (RFC 9112 section 7.1.1).
    public var chunkExtensionBytes = 16_384
    /// Interim heads (1xx) of one response. A server that works for ten minutes and sends 102 every twenty seconds, as
    /// RFC 2518 section 10.1 recommended, sends thirty.
    public var interimHeads = 64
    /// Bytes of all interim heads of one response: the same limit as for its final head.
    public var interimHeadBytes = 65_536

    public init() {}
}
