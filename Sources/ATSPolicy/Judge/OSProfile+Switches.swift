extension OSProfile {
    /// Returns the profile adjusted by the switches; unset switches change nothing.
    ///
    /// - Parameter sdk: the SDK that the app was linked with, if its bundle names it. The release note of iOS 17 covers
    ///   apps linked on or after iOS 17, so addresses stay exempt for older ones (documented there, quoted in GitHub,
    ///   ivpn/ios-app issue 366; inferred for private addresses; C2). The release note of 26 on TLS versions covers apps
    ///   linked on or after 26 (Apple, iOS 26 release notes, 135996267; docs/law/tls.md#system-floor).
    func read(with switches: JudgeSwitches, sdk bundle: LinkedSDK? = nil) -> OSProfile {
        var profile = switches.suiteList == .documented ? offeringDocumentedSuites : self
        let sdk = switches.linkedSDK.sdk(of: bundle)
        if localRule == .names, sdk?.isBefore(OSVersion(17)) == true {
            profile.localRule = .namesAndAllAddresses
        }
        if sdk?.isBefore(OSVersion(26)) == true { profile.tlsFloor = .tls10 }
        if let isOffered = switches.cbcSHA2 { profile = profile.offeringCBCSHA2(isOffered) }
        if let isOn = switches.builtInExceptions {
            profile.hasBuiltInExceptions = isOn
            profile.dropsBuiltInExceptionsUnderNIAP = false
        }
        profile.isStrictAboutRoots = switches.strictRoots
        profile.retriesWithoutHybridGroup = switches.hybridRetry
        profile.set(.legacySpellings, switches.legacyKeys)
        profile.set(.addresses, switches.addressKeys)
        switch (localRule, switches.strictIP) {
        case (.direct, true?): profile.localRule = .names
        case (.names, false?): profile.localRule = .direct
        case (.none, _), (.namesAndAllAddresses, _), (.direct, _), (.names, _): break
        }
        return profile
    }

    private mutating func set(_ key: Keys, _ isOn: Bool?) {
        guard let isOn else { return }
        keys = isOn ? keys.union(key) : keys.subtracting(key)
    }
}

extension OSProfile {
    /// True if ATS applies to https to a local name unless NSAllowsLocalNetworking is true, as on iOS 10 to 13. C16
    /// concerns the same releases. Source: GitHub, Alamofire/Alamofire issues 2402 (iOS 11.2) and 3091 (iOS 13.3),
    /// sparkle-project/Sparkle issue 997 (macOS 10.12); docs/law/addresses.md#local-names.
    var appliesATSToHTTPSOfLocalNames: Bool { OSVersion(10)..<OSVersion(14) ~= release.generation }

    /// True if ATS may apply to https from web content to a private address (C18). The report is about 26 or 27.
    /// Source: GitHub, VelaTerm issue 77; docs/law/addresses.md#https-to-local-hosts.
    var appliesATSToHTTPSOfPrivateAddressesInWeb: Bool { release.generation >= OSVersion(26) }

    /// True if names below `localhost` may be local (C17). Source: blacktop/ipsw-diffs, 26.5 to 27.0, CFNetwork.
    var mayTreatLocalhostAsLocal: Bool { release.generation >= OSVersion(27) }

    /// True if the sources agree on addresses (C2). CFNetwork had a switch for them up to 18.5, the flag
    /// `ats_strict_ip`. It has none in 26, where reports agree. Source: blacktop/ipsw-diffs, 18.5 to 26.0; GitHub,
    /// moona3k/macparakeet issue 969, locus issue 91, Untrivial-ai/agent-orchestrator issues 3852 and 5488.
    var hasOneReadingOfAddresses: Bool { release.generation >= OSVersion(26) }
}
