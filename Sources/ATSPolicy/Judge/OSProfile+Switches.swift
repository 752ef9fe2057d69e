extension OSProfile {
    /// The profile as the switches read it: where they are silent it stays as it is.
    ///
    /// - Parameter sdk: the SDK that the app was linked with, where its bundle tells. The release note of iOS 17 speaks
    ///   of apps linked on or after it, so below that addresses are as free as before (documented there, quoted in
    ///   GitHub, ivpn/ios-app issue 366; that it is so of private ones, too, is inferred; C2).
    func read(with switches: JudgeSwitches, sdk: LinkedSDK? = nil) -> OSProfile {
        var profile = switches.suiteList == .documented ? offeringDocumentedSuites : self
        if localRule == .names, switches.linkedSDK == .bundle, sdk?.isBefore17 == true {
            profile.localRule = .namesAndAllAddresses
        }
        if let isOffered = switches.cbcSHA2 { profile = profile.offeringCBCSHA2(isOffered) }
        if let isOn = switches.builtInExceptions {
            profile.hasBuiltInExceptions = isOn
            profile.dropsBuiltInExceptionsUnderNIAP = false
        }
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
    /// Whether https to a local name keeps ATS's demands unless NSAllowsLocalNetworking is true, as on iOS 10 to 13.
    /// Source: GitHub, Alamofire/Alamofire issues 2402 (iOS 11.2) and 3091 (iOS 13.3), sparkle-project/Sparkle issue 997
    /// (macOS 10.12); docs/law/addresses.md#local-names. Those are also the systems of which C16 is asked.
    var asksTLSOfLocalNames: Bool { OSVersion(10)..<OSVersion(14) ~= release.generation }

    /// Whether https of web content to a private address may keep ATS's demands (C18). The report is of 26 or 27.
    /// Source: GitHub, VelaTerm issue 77; docs/law/addresses.md#https-to-local-hosts.
    var asksTLSOfPrivateAddressesInWeb: Bool { release.generation >= OSVersion(26) }

    /// Whether names below `localhost` may be local (C17). Source: blacktop/ipsw-diffs, 26.5 to 27.0, CFNetwork.
    var mayTakeLocalhostNames: Bool { release.generation >= OSVersion(27) }

    /// Whether the sources still leave more than one reading of addresses (C2). CFNetwork had a switch for it, the flag
    /// `ats_strict_ip`, up to 18.5 and has none in 26, where reports agree. Source: blacktop/ipsw-diffs, 18.5 to 26.0;
    /// GitHub, moona3k/macparakeet issue 969, locus issue 91, Untrivial-ai/agent-orchestrator issues 3852 and 5488.
    var hasOneReadingOfAddresses: Bool { release.generation >= OSVersion(26) }
}
