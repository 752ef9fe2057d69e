public import HTTPWire

/// What is wrong with a message of HTTP/2, so that its stream is reset. Source: RFC 9113 section 8.
public enum HTTP2MessageFault: Error, Sendable, Hashable {
    /// A field name with a capital letter (section 8.2.1).
    case upperCaseName
    /// A field that belongs to one connection, or TE with more than `trailers` (section 8.2.2).
    case connectionField
    /// SP or HTAB at the beginning or the end of a value (section 8.2.1).
    case blankAroundValue
    /// A pseudo-header field that is not defined, or not for this kind of message (section 8.3).
    case unknownPseudoField
    /// A pseudo-header field after a field that is none (section 8.3).
    case latePseudoField
    case repeatedPseudoField
    case missingPseudoField
    case badPseudoField
    /// What a message of HTTP/1 could have wrong, too.
    case wire(WireError)
    /// A body that is longer or shorter than Content-Length says (section 8.1.1).
    case contradictedLength
    /// DATA before the final head of a response, or where none can be (section 8.1.1).
    case unexpectedBody
    /// A second head that does not end its stream (section 8.1).
    case openTrailers
    /// An interim head that ends its stream (section 8.1.1).
    case endedInterim
    /// More than ``HTTP2Limits/interimHeads`` or ``HTTP2Limits/interimHeadBytes`` allow.
    case tooManyInterimHeads
    /// A frame that is an error of its stream, for example a window that overflows.
    case brokenFrame
    /// The client left before the request was whole; nothing was wrong with it so far.
    case incomplete

    /// A head is refused for its size: the peer is told to calm down, not that it broke a rule.
    var isSize: Bool {
        switch self {
        case .wire(let error): error == .headTooLarge || error == .tooManyFields
        case .tooManyInterimHeads: true
        case .upperCaseName, .connectionField, .blankAroundValue, .unknownPseudoField, .latePseudoField,
            .repeatedPseudoField, .missingPseudoField, .badPseudoField, .contradictedLength, .unexpectedBody,
            .openTrailers, .endedInterim, .brokenFrame, .incomplete:
            false
        }
    }

    /// What RST_STREAM says.
    var code: HTTP2ErrorCode { isSize ? .enhanceYourCalm : .protocolError }

    /// The fault in words, for people.
    public var sentence: String {
        switch self {
        case .upperCaseName: "A field name has a capital letter."
        case .connectionField: "A field belongs to one connection of HTTP/1."
        case .blankAroundValue: "A field value begins or ends with white space."
        case .unknownPseudoField: "A pseudo-header field is not defined for this message."
        case .latePseudoField: "A pseudo-header field comes after other fields."
        case .repeatedPseudoField: "A pseudo-header field comes twice."
        case .missingPseudoField: "A pseudo-header field is missing."
        case .badPseudoField: "The value of a pseudo-header field is not valid."
        case .wire(let error): error.sentence
        case .contradictedLength: "The body is not as long as Content-Length says."
        case .unexpectedBody: "A body comes where none can be."
        case .openTrailers: "A second head does not end the stream."
        case .endedInterim: "An interim head ends the stream."
        case .tooManyInterimHeads: "There are more interim heads than allowed."
        case .brokenFrame: "A frame breaks a rule of its stream."
        case .incomplete: "The request was given up before it was whole."
        }
    }
}

/// A request that was never opened, because its stream was reset for what is wrong with it.
public struct HTTP2RejectedRequest: Sendable, Hashable {
    public let streamID: Int32
    public let fault: HTTP2MessageFault
    /// As they came, as far as they are known: a value may be the very one that is wrong. Text from outside.
    public let method: String?
    public let scheme: String?
    public let authority: String?
    public let path: String?
}
