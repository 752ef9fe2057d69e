public import HTTPWire

/// The error codes of RFC 9113 section 7. A peer may send others, so received codes stay numbers.
public enum HTTP2ErrorCode: UInt32, Sendable, Hashable, CaseIterable {
    case noError = 0
    case protocolError = 1
    case internalError = 2
    case flowControlError = 3
    case settingsTimeout = 4
    case streamClosed = 5
    case frameSizeError = 6
    case refusedStream = 7
    case cancel = 8
    case compressionError = 9
    case connectError = 10
    case enhanceYourCalm = 11
    case inadequateSecurity = 12
    case http11Required = 13
}

/// The kind of event that a peer sent too often; see ``HTTP2Limits``.
public enum HTTP2Flood: Sendable, Hashable, CaseIterable {
    case resets, pings, settings, emptyData, continuations, priorities, windowUpdates, otherFrames, acknowledgements
    /// HEADERS of an origin, or trailers of a client that do not end their stream.
    case heads
    /// DATA on streams that are closed, beyond what their windows allowed.
    case skippedData
}

/// The reason why a connection failed.
public enum HTTP2Failure: Error, Sendable, Hashable {
    /// The peer broke a rule of the protocol. `code` is the code for GOAWAY (RFC 9113 section 7), `library` is
    /// nghttp2's error, 0 if it returned none.
    case violation(code: UInt32, library: Int32)
    case flood(HTTP2Flood)
    /// ``HTTP2Machine/shutDown(_:)`` was called with this code.
    case shutDown(HTTP2ErrorCode)
    /// ``HTTP2Machine/abandon()`` was called.
    case abandoned
    /// nghttp2 failed with this error: usually out of memory.
    case library(Int32)

    /// The code for GOAWAY.
    var code: HTTP2ErrorCode {
        switch self {
        case .violation(let code, _): HTTP2ErrorCode(rawValue: code) ?? .protocolError
        case .flood: .enhanceYourCalm
        case .shutDown(let code): code
        case .abandoned: .noError
        case .library: .internalError
        }
    }
}

/// The state of a connection.
public enum HTTP2State: Sendable, Hashable {
    case alive
    /// A GOAWAY was sent or received: no new streams are opened, and open ones are finished.
    case goingAway
    /// Client role: after a GOAWAY the last stream is closed and everything is written, so the connection must be
    /// closed. Further bytes of the client are ignored. An origin's connection is finished if it is ``goingAway``
    /// without streams.
    case done
    /// Reading has stopped; a GOAWAY may still have to be written.
    case failed(HTTP2Failure)
}

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

/// The peer of an ``HTTP2Machine``.
public enum HTTP2Role: Sendable {
    /// An origin: we are the client of HTTP/2.
    case origin
    /// The app: we are the server of HTTP/2.
    case client
}
