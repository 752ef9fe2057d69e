/// Error codes on which the sources disagree, and variants of lines. nil selects the release's code, as in most of the
/// logs that were found.
public struct AppleReadings: Sendable, Hashable {
    /// C14: the error code for alert 40.
    public enum HandshakeFailure: Int, Sendable, Hashable, CaseIterable {
        /// The code of coreTLS (source).
        case coreTLS = 9_824
        /// The code of libboringssl (observed).
        case boringSSL = 9_858
    }

    /// C15: the error code for a self-signed leaf if ATS does not insist.
    public enum SelfSigned: Int, Sendable, Hashable, CaseIterable {
        /// The code of SecureTransport, and of logs up to 2021.
        case invalidChain = 9_807
        /// In logs of iOS 9, and since 2022.
        case missingRoot = 9_813
    }

    /// -9858 since 12, -9824 before; 11 is unclear (C14, observed).
    public var handshakeFailure: HandshakeFailure?
    /// -9813 since 15, -9807 before (C15, inferred).
    public var selfSigned: SelfSigned?

    /// Variants to show on the releases that have them.
    public var variants: Set<ConsoleVariant>

    public init(
        handshakeFailure: HandshakeFailure? = nil, selfSigned: SelfSigned? = nil, variants: Set<ConsoleVariant> = []
    ) {
        self.handshakeFailure = handshakeFailure
        self.selfSigned = selfSigned
        self.variants = variants
    }

    /// Returns the error code for alert 40 on a release.
    func handshakeFailure(on release: OSVersion) -> HandshakeFailure {
        handshakeFailure ?? (release < OSVersion(12) ? .coreTLS : .boringSSL)
    }

    /// Returns the error code for a self-signed leaf on a release.
    func selfSigned(on release: OSVersion) -> SelfSigned {
        selfSigned ?? (release < OSVersion(15) ? .invalidChain : .missingRoot)
    }
}
