/// The requirements for https loads under one entry or default, and the offer of a device. Source: Security,
/// SecProtocolConfiguration.m; docs/law/rulings.md#demands.
struct TLSTerms: Sendable {
    /// nil if ATS adds nothing to the system's own rules.
    let demands: TLSDemands?
    /// The requirements if ATS is off but the host is pinned: only the pins.
    private let bareDemands: TLSDemands
    let offer: TLSOffer

    private init(demands: TLSDemands?, bare: TLSDemands, offer: TLSOffer) {
        self.demands = demands
        bareDemands = bare
        self.offer = offer
    }

    /// Returns the requirements for a pinned host. Whether pins apply with ATS off is not known (inferred;
    /// docs/law/pinning.md#with-ats-off).
    func demands(pinnedTo pins: PinDemands, whenATSOff: Bool) -> TLSDemands? {
        guard demands != nil || whenATSOff else { return nil }
        var pinned = demands ?? bareDemands
        pinned.pins = pins
        return pinned
    }

    /// The values that the terms of all entries share.
    struct Setting {
        /// The release, adjusted by the switches.
        let profile: OSProfile
        let switches: JudgeSwitches
        /// The global NIAP key, which an entry's own overrides.
        let niap: NIAPPackage?
    }

    /// A host without an entry, for which TLS is required, gets the terms of an empty entry (source;
    /// docs/law/rulings.md#demands).
    static func required(_ setting: Setting) -> TLSTerms { entry(ExceptionEntry(), setting) }

    /// The terms if ATS does not apply: the system's minimum and suites, and trust that the app may override (source,
    /// inferred; docs/law/rulings.md#demands, docs/law/tls.md#system-suites).
    static func systemOnly(_ profile: OSProfile) -> TLSTerms {
        TLSTerms(
            demands: nil,
            bare: TLSDemands(
                minimumTLS: profile.tlsFloor, forwardSecrecy: false, strictTrust: false, certificateFloor: false,
                suites: profile.systemSuites,
                overruledMinimum: profile.tlsFloor > .tls10 ? .tls10 : nil),
            offer: TLSOffer(
                minimum: profile.tlsFloor, maximum: profile.newestTLS, suites: profile.systemSuites,
                shape: profile.helloShape))
    }

    /// Returns the terms of an exception entry, which has one key each for trust, version and suites (source;
    /// docs/law/rulings.md#demands). Keys and hashes are still checked without forward secrecy, as in the source (C4),
    /// and with AllowsInsecure, where that is doubtful (inferred). Apple does not document whether a NIAP package also
    /// narrows the suites that RequiresForwardSecrecy=NO adds; here it does (inferred).
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
        // A device offers nothing if the release lacks that version; the gate then offers the newest one that it has.
        var offer = TLSOffer(
            minimum: min(minimum, profile.newestTLS), maximum: profile.newestTLS, suites: suites,
            shape: profile.helloShape)
        offer.takesSHA1Signatures = !package.narrowsSuites
        return TLSTerms(demands: demands, bare: demands, offer: offer)
    }
}
