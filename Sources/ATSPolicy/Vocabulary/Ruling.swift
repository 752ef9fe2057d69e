/// The judge's decision before the gate dials.
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

/// The permission to connect. Only the judge creates one, so code that connects without a ruling does not compile.
public struct ConnectPermit: Sendable {
    public let target: LoadTarget
    public let loader: Loader
    public let basis: RulingBasis
    /// ATS's requirements for the handshake; nil if ATS adds nothing to the system's own rules, and for http.
    public let demands: TLSDemands?
    /// The offer to the origin; nil for http.
    public let offer: TLSOffer?
    /// The denial that audit mode overrode, if it did.
    public let overriddenDenial: Denial?

    init(
        target: LoadTarget, loader: Loader, basis: RulingBasis, demands: TLSDemands?, offer: TLSOffer?,
        overriddenDenial: Denial? = nil
    ) {
        self.target = target
        self.loader = loader
        self.basis = basis
        self.demands = demands
        self.offer = offer
        self.overriddenDenial = overriddenDenial
    }
}

/// A load that is not allowed. ATS denies only cleartext before dialing, so the rule is always `ats.cleartext-load`.
public struct Denial: Sendable, Hashable {
    public let target: LoadTarget
    public let loader: Loader
    public let basis: RulingBasis

    public var rule: RuleID { .cleartextLoad }
}

/// The step of the decision order that determined a ruling. Source: Security, SecProtocolConfiguration.m;
/// docs/law/rulings.md#order-of-decisions.
public struct RulingBasis: Sendable, Hashable {
    public enum Step: String, Sendable, Hashable {
        /// Step 1 of docs/law/rulings.md#order-of-decisions: an entry of NSExceptionDomains, the app's or a built-in
        /// one.
        case exception
        /// Step 2: a local name or a direct address.
        case local
        /// The host is an address, and ATS does not apply to addresses on that release: iOS 10 to 16. Source: Apple,
        /// NSAllowsLocalNetworking; docs/law/addresses.md#by-release.
        case addressUngoverned = "address-ungoverned"
        /// Step 3.
        case mediaGrant = "media-grant"
        /// Step 4.
        case webGrant = "web-grant"
        /// Step 5: a sibling key is present, so NSAllowsArbitraryLoads is ignored.
        case siblingPresent = "sibling-present"
        /// Step 6 with NSAllowsArbitraryLoads true.
        case arbitraryLoads = "arbitrary-loads"
        /// Step 6 otherwise.
        case secureDefault = "secure-default"
        /// ATS does not govern the client.
        case outside
    }

    public var step: Step
    /// Full path of the deciding key, from `NSAppTransportSecurity`; nil if an absent key decided.
    public var keyPath: String?
    /// Key of the exception entry that matched the host.
    public var entry: String?
    public var isBuiltIn: Bool
    /// True if the host counts as local (*direct*, docs/law/addresses.md#direct).
    public var isLocal: Bool
    /// Additional remarks on this decision for `explain` and reports, as sentences.
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
