/// The peer of an ``HTTP2Machine``.
public enum HTTP2Role: Sendable {
    /// An origin: we are the client of HTTP/2.
    case origin
    /// The app: we are the server of HTTP/2.
    case client
}
