/// Numbers on which the sources disagree, and forms of lines. nil leaves numbers to the system, as most of the logs that
/// were found have it.
public struct AppleReadings: Sendable, Hashable {
    /// C14: what alert 40 shows as.
    public enum HandshakeFailure: Int, Sendable, Hashable, CaseIterable {
        /// Of coreTLS (source).
        case coreTLS = 9_824
        /// Of libboringssl (observed).
        case boringSSL = 9_858
    }

    /// C15: what a self-signed leaf shows as where ATS does not insist.
    public enum SelfSigned: Int, Sendable, Hashable, CaseIterable {
        /// Of SecureTransport, and in logs up to 2021.
        case invalidChain = 9_807
        /// In logs of iOS 9, and since 2022.
        case missingRoot = 9_813
    }

    /// From 12 on -9858, before it -9824; 11 is unclear (C14, observed).
    public var handshakeFailure: HandshakeFailure?
    /// From 15 on -9813, before it -9807 (C15, inferred).
    public var selfSigned: SelfSigned?

    /// Forms to show on the systems that have them.
    public var variants: Set<ConsoleVariant>

    public init(
        handshakeFailure: HandshakeFailure? = nil, selfSigned: SelfSigned? = nil, variants: Set<ConsoleVariant> = []
    ) {
        self.handshakeFailure = handshakeFailure
        self.selfSigned = selfSigned
        self.variants = variants
    }

    /// The number of alert 40 on a system.
    func handshakeFailure(on release: OSVersion) -> HandshakeFailure {
        handshakeFailure ?? (release < OSVersion(12) ? .coreTLS : .boringSSL)
    }

    /// The number of a self-signed leaf on a system.
    func selfSigned(on release: OSVersion) -> SelfSigned {
        selfSigned ?? (release < OSVersion(15) ? .invalidChain : .missingRoot)
    }
}
