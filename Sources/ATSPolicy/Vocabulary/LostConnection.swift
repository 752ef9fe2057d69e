/// The end of a connection to an origin before its response was complete.
///
/// Create one wherever a load fails because its origin went away: `LoadFailure.lost(LostConnection(.reset,
/// clientCertificate: facts.clientCertificate, answerBegan: false))`. The error of a device is then
/// ``AppleErrorTable/error(for:target:urlText:profile:facts:identifiers:readings:)`` of it, as for every
/// ``LoadFailure``. A load that fails because of the client or the gate has no ``LoadFailure`` and no error.
public struct LostConnection: Sendable, Hashable {
    public enum End: Sendable, Hashable {
        /// A fatal TLS alert, by its number (RFC 8446 section 6.2).
        case alert(UInt8)
        /// A TCP reset, or any other error of the socket.
        case reset
        /// The origin closed the connection, with or without a TLS close_notify.
        case closed
        /// The origin was silent for too long.
        case timeout
    }

    public var end: End
    /// The answer to the origin's request for a client certificate; nil if it made none, or without TLS.
    public var clientCertificate: ClientCertificateUse?
    /// True if part of the response had arrived.
    public var answerBegan: Bool

    public init(_ end: End, clientCertificate: ClientCertificateUse? = nil, answerBegan: Bool) {
        self.end = end
        self.clientCertificate = clientCertificate
        self.answerBegan = answerBegan
    }
}
