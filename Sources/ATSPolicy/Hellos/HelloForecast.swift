/// The hello that the rules predict for a load: the state of ATS, and the lowest TLS version.
///
/// Source: Security, SecProtocolConfiguration.m and SecProtocolInternal.h; docs/law/hellos.md#comparison.
public struct HelloForecast: Sendable, Hashable {
    public let kind: HelloReading.Kind
    public let minimum: TLSVersion

    /// - Returns: nil for a load without TLS.
    public init?(_ permit: ConnectPermit) {
        guard let offer = permit.offer else { return nil }
        minimum = offer.minimum
        // Without ATS, the demands of a pinned host contain only its pins.
        guard let demands = permit.demands, demands.certificateFloor else {
            kind = .notInForce
            return
        }
        if demands.niap != nil {
            kind = .niap
        } else if demands.forwardSecrecy {
            kind = .ats
        } else {
            // With NSExceptionAllowsInsecureHTTPLoads, the system's own list is offered.
            kind = demands.strictTrust ? .atsOrWeb : .notInForce
        }
    }

    init(_ kind: HelloReading.Kind, minimum: TLSVersion) {
        self.kind = kind
        self.minimum = minimum
    }
}

/// A device's hello, compared with the forecast for the load. Raw values are stored and shown: never rename one, only add.
public enum HelloAnswer: String, Sendable, Hashable, CaseIterable {
    case agree
    /// The device demands more than the dictionary: its build refuses loads before the gate sees them.
    case deviceStricter = "device stricter"
    /// The device demands less than the dictionary.
    case deviceLaxer = "device laxer"

    /// Compares a hello with a forecast.
    ///
    /// - Returns: nil if the hello shows nothing about ATS, or if app code may have caused the difference.
    public init?(_ reading: HelloReading, _ forecast: HelloForecast) {
        guard reading.showsATS else { return nil }
        if reading.isTLS13Only {
            // An app may raise its minimum in code. Source: Apple, tlsMinimumSupportedProtocolVersion.
            guard forecast.minimum == .tls13 else { return nil }
            self = .agree
            return
        }
        switch (reading.kind, forecast.kind) {
        case (.ats, .ats): self.init(reading, minimum: forecast.minimum)
        // Web content without ATS sends this list, too.
        case (.atsOrWeb, .notInForce): self = .agree
        case (let device, let law) where device == law: self = .agree
        case (let device, let law): self = device.strictness > law.strictness ? .deviceStricter : .deviceLaxer
        }
    }

    private init?(_ reading: HelloReading, minimum: TLSVersion) {
        guard let own = reading.minimum, own != minimum else {
            self = .agree
            return
        }
        guard own > minimum else {
            self = .deviceLaxer
            return
        }
        // A device of 26 ignores a lower minimum (docs/law/tls.md#system-floor).
        guard reading.first.map({ $0 < OSVersion(26) }) ?? true else { return nil }
        self = .deviceStricter
    }
}

extension HelloReading {
    /// True for a hello that offers TLS 1.3 only, whose suites do not show the state of ATS.
    public var isTLS13Only: Bool { kind == .ats && minimum == .tls13 }
}

extension HelloReading.Kind {
    fileprivate var strictness: Int {
        switch self {
        case .niap: 3
        case .ats: 2
        case .atsOrWeb: 1
        case .notInForce, .other, .unknown: 0
        }
    }
}

/// The meaning of a difference for the tester.
public enum InstalledBuild {
    /// One sentence, without a full stop; nil if device and dictionary agree.
    public static func sentence(_ answer: HelloAnswer, host: String) -> String? {
        switch answer {
        case .agree: nil
        case .deviceStricter:
            "the build on this device still has ATS on for \(host): it will refuse before the gate is asked; "
                + "install a build with ATS relaxed"
        case .deviceLaxer:
            "the build on this device has ATS off for \(host), and the dictionary has it on: only the gate applies it"
        }
    }
}

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
