extension WireError {
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
