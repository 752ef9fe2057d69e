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
}
