/// What one part of the law asks of an https load, and what a device would offer. Source: Security,
/// SecProtocolConfiguration.m; docs/law/rulings.md#demands.
struct TLSTerms: Sendable {
    /// nil where ATS asks nothing beyond the system's own rules.
    let demands: TLSDemands?
    /// What is asked where ATS is off but the host is pinned: the pins and nothing else.
    private let bareDemands: TLSDemands
    let offer: TLSOffer

    private init(demands: TLSDemands?, bare: TLSDemands, offer: TLSOffer) {
        self.demands = demands
        bareDemands = bare
        self.offer = offer
    }

    /// What is asked of a pinned host. Whether pins hold with ATS off, too, is not known (inferred;
    /// docs/law/pinning.md#with-ats-off).
    func demands(pinnedTo pins: PinDemands, whenATSOff: Bool) -> TLSDemands? {
        guard demands != nil || whenATSOff else { return nil }
        var pinned = demands ?? bareDemands
        pinned.pins = pins
        return pinned
    }

    /// What the terms of all entries have in common.
    struct Setting {
        /// As the switches read it.
        let profile: OSProfile
        let switches: JudgeSwitches
        /// The global NIAP key, which an entry's own overrides.
        let niap: NIAPPackage?
    }

    /// A host without an entry where TLS is required is served as by an entry that sets nothing (source;
    /// docs/law/rulings.md#demands).
    static func required(_ setting: Setting) -> TLSTerms { entry(ExceptionEntry(), setting) }

    /// ATS does not apply: the system's floor and list, and trust that the app may override (source, inferred;
    /// docs/law/rulings.md#demands, docs/law/tls.md#system-suites).
    static func systemOnly(_ profile: OSProfile) -> TLSTerms {
        TLSTerms(
            demands: nil,
            bare: TLSDemands(
                minimumTLS: profile.tlsFloor, forwardSecrecy: false, strictTrust: false, certificateFloor: false,
                suites: profile.systemSuites,
                overruledMinimum: profile.tlsFloor > .tls10 ? .tls10 : nil),
            offer: TLSOffer(minimum: profile.tlsFloor, maximum: profile.newestTLS, suites: profile.systemSuites))
    }

    /// An exception entry loosens trust, version and suites each by a key of its own (source;
    /// docs/law/rulings.md#demands). Keys and hashes stay checked even without forward secrecy, as in the source (C4),
    /// and with AllowsInsecure, where that is doubtful (inferred). Whether a NIAP package also narrows what
    /// RequiresForwardSecrecy=NO adds is not documented; it does here (inferred).
    static func entry(_ entry: ExceptionEntry, _ setting: Setting) -> TLSTerms {
        let profile = setting.profile
        let allowsInsecure = entry.allowsInsecureHTTPLoads ?? false
        let forwardSecrecy = entry.requiresForwardSecrecy ?? true
        let minimum = max(profile.tlsFloor, entry.minimumTLS ?? .tls12)
        let package = entry.niap ?? setting.niap ?? NIAPPackage.none
        let offered =
            switch (forwardSecrecy, allowsInsecure) {
            case (true, _): profile.atsSuites
            case (false, false): profile.staticRSASuites + profile.atsSuites
            case (false, true): profile.systemSuites
            }
        let suites = package.narrowed(offered)
        var demands = TLSDemands(
            minimumTLS: minimum, forwardSecrecy: forwardSecrecy, strictTrust: !allowsInsecure, certificateFloor: true,
            suites: suites,
            overruledMinimum: entry.minimumTLS.flatMap { $0 < profile.tlsFloor ? $0 : nil })
        demands.niap = package.narrowsSuites ? package : nil
        demands.requiresCertificateTransparency = entry.requiresCertificateTransparency ?? false
        demands.waivesKeySize = !forwardSecrecy && !setting.switches.keySizeWithoutForwardSecrecy
        demands.checksLeafOnly = setting.switches.certificateScope == .leaf
        demands.acceptsAnyCertificate = allowsInsecure && setting.switches.insecureTrust == .any
        var offer = TLSOffer(minimum: minimum, maximum: profile.newestTLS, suites: suites)
        offer.takesSHA1Signatures = !package.narrowsSuites
        return TLSTerms(demands: demands, bare: demands, offer: offer)
    }
}
