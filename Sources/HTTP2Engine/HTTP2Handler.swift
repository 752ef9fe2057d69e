public import HTTPWire

/// The head of an HTTP/2 request.
public struct HTTP2Request: Sendable {
    /// `:authority` is its Host. The target is `.path` or `.asterisk`, or `.authority` for CONNECT without a protocol.
    public var head: RequestHead
    /// In the received case; empty for CONNECT without a protocol (RFC 9113 section 8.5).
    public var scheme: String
    /// `:protocol` of an extended CONNECT (RFC 8441 section 4), for example `websocket`.
    public var protocolName: String?
    /// True if there is no body and there are no trailers.
    public var endsStream: Bool

    public init(head: RequestHead, scheme: String, protocolName: String? = nil, endsStream: Bool) {
        self.head = head
        self.scheme = scheme
        self.protocolName = protocolName
        self.endsStream = endsStream
    }
}

/// How a stream ended.
public enum HTTP2StreamEnd: Sendable, Hashable {
    /// Both halves are closed.
    case done
    /// Reset by the peer or by us. `code` can be any number.
    case reset(code: UInt32)
    /// The peer did not process the request, so it may be sent again (RFC 9113 section 8.7).
    case refused
    /// The connection failed.
    case lost
}

/// The receiver of a connection's events. All calls come from inside ``HTTP2Machine/receive(_:)`` or
/// ``HTTP2Machine/write(to:upTo:)``. Calls back into any machine and stream are allowed, except that these two have no
/// immediate effect when called from inside one another.
public protocol HTTP2Handler: AnyObject {
    /// Client role: a request was received. Set the stream's handler before returning.
    func opened(_ request: HTTP2Request, _ stream: HTTP2Stream)
    /// A SETTINGS frame of the peer took effect.
    func peerChangedSettings(_ machine: HTTP2Machine)
    /// Client role: a request with an error was reset before it was opened; called once for each such stream. Streams
    /// that are refused because of their number, or after our GOAWAY, are not reported: the client may send them again.
    func rejected(_ request: HTTP2RejectedRequest)
    /// A GOAWAY was received. Streams above its last one are closed as ``HTTP2StreamEnd/refused`` right after.
    func peerIsLeaving(_ machine: HTTP2Machine, code: UInt32)
}

extension HTTP2Handler {
    /// Default for the origin role, which receives no requests.
    public func rejected(_ request: HTTP2RejectedRequest) {}
}

/// The receiver of a stream's events; ``HTTP2Handler`` describes when they are called.
public protocol HTTP2StreamHandler: AnyObject {
    /// Origin role: a head was received; also for interim ones (1xx).
    func answered(_ head: ResponseHead, endsStream: Bool, on stream: HTTP2Stream)
    /// A piece of body was received; valid during the call. Return each byte with ``HTTP2Stream/consume(_:)`` once it
    /// is forwarded.
    func received(_ bytes: UnsafeRawBufferPointer, on stream: HTTP2Stream)
    /// The peer's half is closed, also after a head that ends the stream.
    func ended(_ stream: HTTP2Stream, trailers: FieldBlock?)
    /// This many of our body bytes moved from the stream's queue into frames; 0 for a head.
    func drained(_ count: Int, from stream: HTTP2Stream)
    /// The last call for this stream. Not made if the machine is abandoned.
    func closed(_ stream: HTTP2Stream, _ end: HTTP2StreamEnd)
}
