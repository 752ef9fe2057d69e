public import ATSPolicy
public import Records
public import TLSEngine

/// What came of one look at one origin.
public struct ProbeAnswer: Sendable {
    public enum Ending: Sendable {
        /// A device would load from it; for http, it takes connections.
        case passed
        /// A device would not.
        case refused(LoadFailure)
        case unreachable(NetworkFailure)
        /// Our own TLS could not be set up.
        case faulted(TLSSetupError)
    }

    public let ending: Ending
    public let verdict: HandshakeVerdict
    /// nil where no connection stood.
    public let origin: RecordedOrigin?
    /// Microseconds from the question for the name to the connection.
    public let connectTicks: Int64?
    /// Microseconds from the hello to the verdict.
    public let handshakeTicks: Int64?
    /// It asked for a certificate and said nothing behind the handshake, so it may still turn a load down.
    public internal(set) var wasSilent = false

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

    /// Nothing was learnt of the origin.
    public var isError: Bool {
        switch ending {
        case .passed, .refused: false
        case .unreachable, .faulted: true
        }
    }
}
