public import HTTPWire

/// An error in an HTTP/2 message, for which its stream is reset. Source: RFC 9113 section 8.
public enum HTTP2MessageFault: Error, Sendable, Hashable {
    /// A field name with a capital letter (section 8.2.1).
    case upperCaseName
    /// A connection-specific field, or TE with more than `trailers` (section 8.2.2).
    case connectionField
    /// SP or HTAB at the beginning or the end of a value (section 8.2.1).
    case blankAroundValue
    /// A pseudo-header field that is not defined, or not for this kind of message (section 8.3).
    case unknownPseudoField
    /// A pseudo-header field after a regular field (section 8.3).
    case latePseudoField
    case repeatedPseudoField
    case missingPseudoField
    case badPseudoField
    /// An error that a message of HTTP/1 could have, too.
    case wire(WireError)
    /// A body that is longer or shorter than Content-Length (section 8.1.1).
    case contradictedLength
    /// DATA before the final head of a response, or in a message that has no body (section 8.1.1).
    case unexpectedBody
    /// A second head that does not end its stream (section 8.1).
    case openTrailers
    /// An interim head that ends its stream (section 8.1.1).
    case endedInterim
    /// More than ``HTTP2Limits/interimHeads`` or ``HTTP2Limits/interimHeadBytes`` allow.
    case tooManyInterimHeads
    /// A frame with a stream error, for example a window that overflows.
    case brokenFrame
    /// The client stopped before the request was complete; it was valid so far.
    case incomplete

    /// True if a head is rejected because of its size: the code is ENHANCE_YOUR_CALM instead of PROTOCOL_ERROR.
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

    /// The code for RST_STREAM.
    var code: HTTP2ErrorCode { isSize ? .enhanceYourCalm : .protocolError }

    /// The error as a sentence for users.
    public var sentence: String {
        switch self {
        case .upperCaseName: "A field name has a capital letter."
        case .connectionField: "A field is connection-specific, which HTTP/2 does not allow."
        case .blankAroundValue: "A field value begins or ends with white space."
        case .unknownPseudoField: "A pseudo-header field is not defined for this message."
        case .latePseudoField: "A pseudo-header field comes after other fields."
        case .repeatedPseudoField: "A pseudo-header field is repeated."
        case .missingPseudoField: "A pseudo-header field is missing."
        case .badPseudoField: "The value of a pseudo-header field is not valid."
        case .wire(let error): error.sentence
        case .contradictedLength: "The length of the body differs from Content-Length."
        case .unexpectedBody: "The message has a body, but must not have one."
        case .openTrailers: "A second head does not end the stream."
        case .endedInterim: "An interim head ends the stream."
        case .tooManyInterimHeads: "There are more interim heads than allowed."
        case .brokenFrame: "A frame breaks a rule of its stream."
        case .incomplete: "The client stopped before the request was complete."
        }
    }
}

/// A request that was never opened, because its stream was reset for an error in it.
public struct HTTP2RejectedRequest: Sendable, Hashable {
    public let streamID: Int32
    public let fault: HTTP2MessageFault
    /// As received, if known; a value may be the invalid one. Untrusted text.
    public let method: String?
    public let scheme: String?
    public let authority: String?
    public let path: String?
}
