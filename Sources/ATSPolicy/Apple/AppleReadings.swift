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

    /// C15: the error code for an untrusted root that the server sends, if ATS does not insist.
    public enum UntrustedRoot: Int, Sendable, Hashable, CaseIterable {
        /// GitHub, ably/ably-cocoa issue 80 (iOS 9), SwiftFM issue 3 (2021).
        case invalidChain = 9_807
        /// GitHub, amazon-archives/aws-mobile-react-native-starter issue 54 (iOS 11), and logs of 13.
        case missingRoot = 9_813
    }

    /// -9858 since 12, -9824 before; 11 is unclear (C14, observed).
    public var handshakeFailure: HandshakeFailure?
    /// -9813 unless set (C15).
    public var untrustedRoot: UntrustedRoot?

    /// Variants to show on the releases that have them.
    public var variants: Set<ConsoleVariant>

    public init(
        handshakeFailure: HandshakeFailure? = nil, untrustedRoot: UntrustedRoot? = nil,
        variants: Set<ConsoleVariant> = []
    ) {
        self.handshakeFailure = handshakeFailure
        self.untrustedRoot = untrustedRoot
        self.variants = variants
    }

    /// Returns the error code for alert 40 on a release.
    func handshakeFailure(on release: OSVersion) -> HandshakeFailure {
        handshakeFailure ?? (release < OSVersion(12) ? .coreTLS : .boringSSL)
    }
}
