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
