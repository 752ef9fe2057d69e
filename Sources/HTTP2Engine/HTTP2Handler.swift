public import HTTPWire

/// The head of a request as HTTP/2 knows it.
public struct HTTP2Request: Sendable {
    /// `:authority` is its Host. The target is `.path` or `.asterisk`, or `.authority` for CONNECT without a protocol.
    public var head: RequestHead
    /// In the case that it came in; empty for CONNECT without a protocol (RFC 9113 section 8.5).
    public var scheme: String
    /// `:protocol` of an extended CONNECT (RFC 8441 section 4), for example `websocket`.
    public var protocolName: String?
    /// There is no body and there are no trailers.
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
    /// Both halves are over.
    case done
    /// Cut off by RST_STREAM, from the peer or from us. `code` is any number that a peer may think of.
    case reset(code: UInt32)
    /// The peer has not looked at the request, so it may be sent again (RFC 9113 section 8.7).
    case refused
    /// The connection failed.
    case lost
}

/// Hears what happens on a connection. All calls come from inside ``HTTP2Machine/receive(_:)`` or
/// ``HTTP2Machine/write(to:upTo:)``; calls back into any machine and stream are allowed, except that these two do
/// nothing at once when called from inside one another.
public protocol HTTP2Handler: AnyObject {
    /// Client role: a request came. Set the stream's handler before returning.
    func opened(_ request: HTTP2Request, _ stream: HTTP2Stream)
    /// A SETTINGS frame of the peer is in force.
    func peerChangedSettings(_ machine: HTTP2Machine)
    /// Client role: a request was reset before it was opened, for what is wrong with it; once for each such stream.
    /// Streams that are refused for their number, or after our GOAWAY, are not told: the client may ask again.
    func rejected(_ request: HTTP2RejectedRequest)
    /// A GOAWAY came. Streams above its last one are closed as ``HTTP2StreamEnd/refused`` right after.
    func peerIsLeaving(_ machine: HTTP2Machine, code: UInt32)
}

extension HTTP2Handler {
    /// For those who only ask, and never get a request.
    public func rejected(_ request: HTTP2RejectedRequest) {}
}

/// Hears what happens on one stream; ``HTTP2Handler`` says when.
public protocol HTTP2StreamHandler: AnyObject {
    /// Origin role: a head came; interim ones (1xx) too.
    func answered(_ head: ResponseHead, endsStream: Bool, on stream: HTTP2Stream)
    /// A piece of body, valid during the call. Each byte is given back by ``HTTP2Stream/consume(_:)`` once passed on.
    func received(_ bytes: UnsafeRawBufferPointer, on stream: HTTP2Stream)
    /// The peer's half is over, also after a head that ends the stream.
    func ended(_ stream: HTTP2Stream, trailers: FieldBlock?)
    /// So many bytes of body of ours went from the stream's queue into frames; 0 when it was a head.
    func drained(_ count: Int, from stream: HTTP2Stream)
    /// The last call for this stream. Not made when the machine is abandoned.
    func closed(_ stream: HTTP2Stream, _ end: HTTP2StreamEnd)
}
