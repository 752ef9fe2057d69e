/// How much of each part of a message is accepted.
public struct WireLimits: Sendable, Hashable {
    /// Bytes of a head, from its start line up to and with its empty line.
    public var headBytes = 65_536
    /// Fields in a head, or in trailers.
    public var fieldCount = 256
    /// Bytes of trailers, up to and with their empty line.
    public var trailerBytes = 16_384
    /// Bytes of chunk extensions in one message, all chunks together (RFC 9112 section 7.1.1).
    public var chunkExtensionBytes = 16_384

    public init() {}
}
