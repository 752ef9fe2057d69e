/// The judge's answer before anything is dialed.
public enum Ruling: Sendable {
    case permit(ConnectPermit)
    case denial(Denial)

    public var basis: RulingBasis {
        switch self {
        case .permit(let permit): permit.basis
        case .denial(let denial): denial.basis
        }
    }
}

/// The right to connect. Only the judge makes one, so connecting without a ruling does not compile.
public struct ConnectPermit: Sendable {
    public let target: LoadTarget
    public let loader: Loader
    public let basis: RulingBasis
    /// What ATS asks of the handshake; nil where it asks nothing beyond the system's own rules, and for http.
    public let demands: TLSDemands?
    /// What to offer the origin; nil for http.
    public let offer: TLSOffer?
    /// The denial that audit mode set aside, if it did.
    public let setAside: Denial?

    init(
        target: LoadTarget, loader: Loader, basis: RulingBasis, demands: TLSDemands?, offer: TLSOffer?,
        setAside: Denial? = nil
    ) {
        self.target = target
        self.loader = loader
        self.basis = basis
        self.demands = demands
        self.offer = offer
        self.setAside = setAside
    }

    /// The same demands and offer, asked of another host's certificate.
    public func asked(of target: LoadTarget) -> ConnectPermit {
        ConnectPermit(
            target: target, loader: loader, basis: basis, demands: demands, offer: offer, setAside: setAside)
    }
}

/// A load that may not leave. ATS denies only cleartext before dialing, so the rule is always `ats.cleartext-load`.
public struct Denial: Sendable, Hashable {
    public let target: LoadTarget
    public let loader: Loader
    public let basis: RulingBasis

    public var rule: RuleID { .cleartextLoad }
}

/// Which step of the decision order settled a ruling. Source: Security, SecProtocolConfiguration.m;
/// docs/law/rulings.md#order-of-decisions.
public struct RulingBasis: Sendable, Hashable {
    public enum Step: String, Sendable, Hashable {
        /// Step 1 of docs/law/rulings.md#order-of-decisions: an entry of NSExceptionDomains, the app's or a built-in
        /// one.
        case exception
        /// Step 2: a local name or a direct address.
        case local
        /// The host is an address, and ATS is not applied to addresses on that system: iOS 10 to 16. Source: Apple,
        /// NSAllowsLocalNetworking; docs/law/addresses.md#by-release.
        case addressUngoverned = "address-ungoverned"
        /// Step 3.
        case mediaGrant = "media-grant"
        /// Step 4.
        case webGrant = "web-grant"
        /// Step 5: a sibling key is present, so NSAllowsArbitraryLoads is not looked at.
        case siblingPresent = "sibling-present"
        /// Step 6 with NSAllowsArbitraryLoads true.
        case arbitraryLoads = "arbitrary-loads"
        /// Step 6 otherwise.
        case secureDefault = "secure-default"
        /// The client is not governed by ATS at all.
        case outside
    }

    public var step: Step
    /// Full path of the deciding key, from `NSAppTransportSecurity`; nil when an absent key decided.
    public var keyPath: String?
    /// Key of the exception entry that served the host.
    public var entry: String?
    public var isBuiltIn: Bool
    /// The host counts as local (*direct*, docs/law/addresses.md#direct).
    public var isLocal: Bool
    /// Sentences for `explain` and reports: what else is worth knowing about this decision.
    public var notes: [String]
    public var confidence: Confidence

    public init(
        step: Step, keyPath: String? = nil, entry: String? = nil, isBuiltIn: Bool = false, isLocal: Bool = false,
        notes: [String] = [], confidence: Confidence = .source
    ) {
        self.step = step
        self.keyPath = keyPath
        self.entry = entry
        self.isBuiltIn = isBuiltIn
        self.isLocal = isLocal
        self.notes = notes
        self.confidence = confidence
    }
}
