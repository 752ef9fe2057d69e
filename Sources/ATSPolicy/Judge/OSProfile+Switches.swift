extension OSProfile {
    /// The profile as the switches read it: where they are silent it stays as it is.
    func read(with switches: JudgeSwitches) -> OSProfile {
        var profile = switches.suiteList == .documented ? offeringDocumentedSuites : self
        if let isOffered = switches.cbcSHA2 { profile = profile.offeringCBCSHA2(isOffered) }
        if let isOn = switches.builtInExceptions { profile.hasBuiltInExceptions = isOn }
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
    /// Source: GitHub, Alamofire/Alamofire issues 2402 () and 3091 (), sparkle-project/Sparkle issue 997 (macOS 10.12).
    /// Those are also the systems of which C16 is asked.
    var asksTLSOfLocalNames: Bool { OSVersion(10)..<OSVersion(14) ~= release.generation }
}
