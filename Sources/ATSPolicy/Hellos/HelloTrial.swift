/// The hellos that an origin gets until the cause of a failed handshake is known, in their order.
public enum HelloTrial: Sendable, Hashable {
    /// That of the emulated release.
    case device
    /// The same without the hybrid group, which makes it small.
    case withoutHybridGroup
    /// All that the TLS library supports.
    case everything

    /// The hello to send.
    ///
    /// - Parameter device: the offer of the release.
    public func offer(_ device: TLSOffer) -> TLSOffer {
        switch self {
        case .device: device
        case .withoutHybridGroup: device.withoutHybridGroup
        case .everything: .diagnostic
        }
    }

    /// The trial after this one; nil if no other hello can show the cause.
    ///
    /// - Parameters:
    ///   - first: the failure of the release's own hello.
    ///   - sent: that hello, as the TLS library could send it.
    public func next(after first: HandshakeFailure, of sent: TLSOffer) -> HelloTrial? {
        if self == .device, sent.offersHybridGroup, first.mayBeOfLargeHello { return .withoutHybridGroup }
        return self == .everything || !first.isDiagnosable ? nil : .everything
    }
}

extension HandshakeFailure {
    /// True if an offer of everything may show the cause.
    fileprivate var isDiagnosable: Bool {
        switch self {
        case .alertReceived, .versionNotOffered, .suiteNotOffered, .nothingToOffer, .closed, .library: true
        case .notTLS, .timeout, .chainTooLarge: false
        }
    }

    /// True for the ways in which origins, and devices on the way, fail a hello that they cannot read: an alert, a lost
    /// connection, or no answer. Source: tldr.fail; tdlib/telegram-bot-api 896; openssl/openssl 27557.
    fileprivate var mayBeOfLargeHello: Bool {
        switch self {
        case .alertReceived, .closed, .timeout: true
        case .versionNotOffered, .suiteNotOffered, .nothingToOffer, .library, .notTLS, .chainTooLarge: false
        }
    }
}
