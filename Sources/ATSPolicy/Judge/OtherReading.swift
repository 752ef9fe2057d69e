/// An alternative reading of the ATS rules that some source supports: the switches to set, and the source.
public struct OtherReading: Sendable, Hashable {
    /// The switches to set; usually one.
    public let settings: [SwitchSetting]
    /// The contradiction of docs/contradictions.md, or a topic of docs/law.
    public let source: String
    public let switches: JudgeSwitches

    /// The settings in the form of the command line.
    public var option: String { settings.map(\.option).joined(separator: " ") }
}

extension JudgeSwitches {
    /// Returns each switch that can be changed for a release, in the order of docs/contradictions.md. Source:
    /// docs/contradictions.md.
    public func otherReadings(on profile: OSProfile) -> [OtherReading] {
        var readings = [other("subdomain-depth")]
        readings += localReadings(on: profile)
        if profile.appliesATSToHTTPSOfLocalNames { readings.append(other("local-names")) }
        if profile.mayTreatLocalhostAsLocal { readings.append(other("localhost-names")) }
        if profile.appliesATSToHTTPSOfPrivateAddressesInWeb { readings.append(other("web-local-trust")) }
        if profile.keys.contains(.siblings) { readings += [other("sibling-keys"), other("device-kind")] }
        let effective = profile.read(with: self)
        return readings + tlsReadings(on: profile) + [
            other("legacy-keys", effective.keys.contains(.legacySpellings) ? "off" : "on"),
            other("address-keys", effective.keys.contains(.addresses) ? "off" : "on"),
            other("insecure-trust"),
            other("built-in-exceptions", effective.hasBuiltInExceptions ? "off" : "on"),
            other("pin-when-ats-off"),
        ] + packageReadings(on: effective) + numberReadings(on: profile) + consoleReadings(on: profile)
    }

    /// The effect of a NIAP package on built-in exceptions (docs/law/keys.md#built-in-exceptions).
    private func packageReadings(on profile: OSProfile) -> [OtherReading] {
        guard profile.dropsBuiltInExceptionsUnderNIAP, builtInExceptions == nil else { return [] }
        return [other("built-in-exceptions", "on")]
    }

    /// Alternative forms of console lines.
    private func consoleReadings(on profile: OSProfile) -> [OtherReading] {
        let known = ConsoleVariant.allCases.filter { $0.isAlternative && $0.isKnown(on: profile.release.generation) }
        return known.map { variant in
            other("console-variants", ConsoleVariant.text(apple.variants.symmetricDifference([variant])))
        }
    }

    /// C4 to C6: the requirements for a handshake.
    private func tlsReadings(on profile: OSProfile) -> [OtherReading] {
        var readings = [other("key-size-without-pfs"), other("certificate-scope"), other("suite-list")]
        // Before 15.4 every source has these suites, so the switch matters only to users who removed them.
        if cbcSHA2 != nil {
            readings.append(other("cbc-sha2"))
        } else if profile.release.generation >= OSVersion(15, 4), suiteList == .published {
            readings.append(other("cbc-sha2", "on"))
        }
        return readings
    }

    /// C14 and C15, for the releases on which the sources differ, and wherever a code was chosen.
    private func numberReadings(on profile: OSProfile) -> [OtherReading] {
        let release = profile.release.generation
        var readings: [OtherReading] = []
        if apple.handshakeFailure != nil || release.major == 11 {
            let code =
                apple.handshakeFailure(on: release) == .coreTLS ? AppleReadings.HandshakeFailure.boringSSL : .coreTLS
            readings.append(other("handshake-failure-code", "\(code.rawValue)"))
        }
        // On 26 and later only -9813 was seen (docs/law/errors.md#by-failure).
        if apple.untrustedRoot != nil || release.major < 26 {
            let code = apple.untrustedRoot == .invalidChain ? AppleReadings.UntrustedRoot.missingRoot : .invalidChain
            readings.append(other("untrusted-root-code", "\(code.rawValue)"))
        }
        return readings
    }

    /// C2, if ATS applies to addresses and they can be local (docs/law/addresses.md#by-release,
    /// docs/law/addresses.md#direct).
    private func localReadings(on profile: OSProfile) -> [OtherReading] {
        let isStrict: Bool
        guard strictIP != nil || !profile.hasOneReadingOfAddresses else {
            return localNetworks == Self.defaultLocalNetworks ? [other("local-nets", "on-link")] : []
        }
        switch profile.read(with: self).localRule {
        case .none, .namesAndAllAddresses: return []
        case .names: isStrict = true
        case .direct: isStrict = false
        }
        var readings = [other("strict-ip", isStrict ? "off" : "on")]
        if profile.localRule == .names {
            readings.append(other("linked-sdk", linkedSDK == .newest ? "bundle" : "newest"))
        }
        guard localNetworks == Self.defaultLocalNetworks else { return readings }
        readings.append(other("local-nets", "on-link"))
        // The addresses of carrier-grade NAT (RFC 6598).
        readings.append(other("local-nets", "default,100.64.0.0/10"))
        // The documentation: YES permits all addresses, and by default none are permitted (documented;
        // docs/law/addresses.md#local-networking-key).
        readings.append(other([("local-nets", "any"), ("strict-ip", "on")]))
        return readings
    }
}

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
