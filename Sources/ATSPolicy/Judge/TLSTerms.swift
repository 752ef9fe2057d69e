/// What one part of the law asks of an https load, and what a device would offer. Source: `ats-semantics.md` 2.3.
struct TLSTerms: Sendable {
    /// nil where ATS asks nothing beyond the system's own rules.
    let demands: TLSDemands?
    /// The same for a pinned host. Pins are taken to hold with ATS off, too (1.6 `[I]`).
    let pinnedDemands: TLSDemands
    let offer: TLSOffer

    private init(demands: TLSDemands?, pinned: TLSDemands, offer: TLSOffer) {
        self.demands = demands
        var pinned = pinned
        pinned.isPinned = true
        pinnedDemands = pinned
        self.offer = offer
    }

    /// A host without an entry where TLS is required is served as by an entry that sets nothing (2.3 `[S]`).
    static func required(_ profile: OSProfile) -> TLSTerms { entry(ExceptionEntry(), profile) }

    /// ATS does not apply: the system's floor and list, and trust that the app may override (2.3 `[S]`, 4.4 `[I]`).
    static func systemOnly(_ profile: OSProfile) -> TLSTerms {
        TLSTerms(
            demands: nil,
            pinned: TLSDemands(
                minimumTLS: profile.tlsFloor, forwardSecrecy: false, strictTrust: false, certificateFloor: false,
                suites: profile.systemSuites, isPinned: true,
                overruledMinimum: profile.tlsFloor > .tls10 ? .tls10 : nil),
            offer: TLSOffer(minimum: profile.tlsFloor, maximum: profile.newestTLS, suites: profile.systemSuites))
    }

    /// An exception entry loosens trust, version and suites each by a key of its own (2.3 `[S]`). Keys and hashes stay
    /// checked even without forward secrecy, as in the source (C4), and with AllowsInsecure, where that is doubtful
    /// `[I]`.
    static func entry(_ entry: ExceptionEntry, _ profile: OSProfile) -> TLSTerms {
        let allowsInsecure = entry.allowsInsecureHTTPLoads ?? false
        let forwardSecrecy = entry.requiresForwardSecrecy ?? true
        let minimum = max(profile.tlsFloor, entry.minimumTLS ?? .tls12)
        let suites =
            switch (forwardSecrecy, allowsInsecure) {
            case (true, _): profile.atsSuites
            case (false, false): profile.staticRSASuites + profile.atsSuites
            case (false, true): profile.systemSuites
            }
        let demands = TLSDemands(
            minimumTLS: minimum, forwardSecrecy: forwardSecrecy, strictTrust: !allowsInsecure, certificateFloor: true,
            suites: suites, isPinned: false,
            overruledMinimum: entry.minimumTLS.flatMap { $0 < profile.tlsFloor ? $0 : nil })
        return TLSTerms(
            demands: demands, pinned: demands,
            offer: TLSOffer(minimum: minimum, maximum: profile.newestTLS, suites: suites))
    }
}
