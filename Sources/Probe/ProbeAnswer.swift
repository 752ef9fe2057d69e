public import ATSPolicy
public import Records
public import TLSEngine

/// The result of one probe of one origin.
public struct ProbeAnswer: Sendable {
    public enum Ending: Sendable {
        /// A device would load from it; for http, it accepts connections.
        case passed
        /// A device would not load from it.
        case refused(LoadFailure)
        case unreachable(NetworkFailure)
        /// A proxy on the way decrypts the connection, so the origin was not seen.
        case decrypted
        /// atsgate's own TLS could not be set up.
        case faulted(TLSSetupError)
    }

    public let ending: Ending
    public let verdict: HandshakeVerdict
    /// nil if no connection was made.
    public let origin: RecordedOrigin?
    /// Microseconds from the name lookup to the connection.
    public let connectTicks: Int64?
    /// Microseconds from the hello to the verdict.
    public let handshakeTicks: Int64?
    /// True if it requested a certificate and sent nothing after the handshake, so it may still reject a load.
    public internal(set) var wasSilent = false
    /// nil without a finished handshake.
    public internal(set) var quantumSecurity: QuantumSecurity?

    init(
        _ ending: Ending, _ verdict: HandshakeVerdict, origin: RecordedOrigin? = nil, connectTicks: Int64? = nil,
        handshakeTicks: Int64? = nil
    ) {
        self.ending = ending
        self.verdict = verdict
        self.origin = origin
        self.connectTicks = connectTicks
        self.handshakeTicks = handshakeTicks
    }

    public var facts: HandshakeFacts? { origin?.facts }

    public var isPassed: Bool {
        if case .passed = ending { true } else { false }
    }

    /// True if nothing is known about the origin.
    public var isError: Bool {
        switch ending {
        case .passed, .refused: false
        case .unreachable, .decrypted, .faulted: true
        }
    }
}
