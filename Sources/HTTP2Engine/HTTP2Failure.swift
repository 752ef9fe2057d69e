/// The error codes of RFC 9113 section 7. A peer may send others, so what came from a peer stays a number.
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

/// What a peer sent too much of; see ``HTTP2Limits``.
public enum HTTP2Flood: Sendable, Hashable, CaseIterable {
    case resets, pings, settings, emptyData, continuations, priorities, windowUpdates, otherFrames, acknowledgements
    /// HEADERS of an origin, or trailers of a client that do not end their stream.
    case heads
    /// DATA on streams that are over, beyond what their windows allowed.
    case skippedData
}

/// Why a connection can not go on.
public enum HTTP2Failure: Error, Sendable, Hashable {
    /// The peer broke a rule of the protocol. `code` is what GOAWAY tells it (RFC 9113 section 7), `library` is
    /// nghttp2's number for it, 0 where it gave none.
    case violation(code: UInt32, library: Int32)
    case flood(HTTP2Flood)
    /// We ended it, by ``HTTP2Machine/shutDown(_:)`` with this code.
    case shutDown(HTTP2ErrorCode)
    /// ``HTTP2Machine/abandon()`` was called.
    case abandoned
    /// nghttp2 gave up, by its own number: out of memory, as a rule.
    case library(Int32)

    /// What GOAWAY says.
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

/// Where a connection stands.
public enum HTTP2State: Sendable, Hashable {
    case alive
    /// A GOAWAY was sent or received: no stream is opened any more, those in flight are finished.
    case goingAway
    /// Client role: after a GOAWAY the last stream is over and everything is written, so the connection is to be closed.
    /// A client that goes on is not heard any more. An origin's connection is over when no stream is left of one that
    /// is ``goingAway``.
    case done
    /// Nothing is read any more; a GOAWAY may still have to be written.
    case failed(HTTP2Failure)
}
