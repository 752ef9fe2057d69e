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
