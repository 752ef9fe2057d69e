/// An alternative reading of the ATS rules that some source supports: the switches to set, and the source.
public struct OtherReading: Sendable, Hashable {
    /// The switches to set; usually one.
    public let settings: [SwitchSetting]
    /// The contradiction of docs/contradictions.md, or a topic of docs/law.
    public let source: String
    public let switches: JudgeSwitches
}

extension JudgeSwitches {
    /// Returns each switch that can be changed for a release, in the order of ``Contradiction``. Source:
    /// docs/contradictions.md.
    public func otherReadings(on profile: OSProfile) -> [OtherReading] {
        var readings = [
            other(subdomainDepth == .any ? .subdomainDepth(.one) : .subdomainDepth(.any), "C1")
        ]
        readings += localReadings(on: profile)
        if profile.appliesATSToHTTPSOfLocalNames {
            readings.append(
                other(localNames == .free ? .localNames(.ask) : .localNames(.free), "C16"))
        }
        if profile.mayTreatLocalhostAsLocal {
            readings.append(
                other(localhostNames == .remote ? .localhostNames(.local) : .localhostNames(.remote), "C17"))
        }
        if profile.appliesATSToHTTPSOfPrivateAddressesInWeb {
            readings.append(
                other(webLocalTrust == .strict ? .webLocalTrust(.free) : .webLocalTrust(.strict), "C18"))
        }
        if profile.keys.contains(.siblings) {
            readings.append(
                other(siblingKeys == .presence ? .siblingKeys(.value) : .siblingKeys(.presence), "C3"))
        }
        let effective = profile.read(with: self)
        return readings + tlsReadings(on: profile) + [
            other(.legacyKeys(!effective.keys.contains(.legacySpellings)), "C8"),
            other(.addressKeys(!effective.keys.contains(.addresses)), "C9"),
            other(insecureTrust == .app ? .insecureTrust(.any) : .insecureTrust(.app), "C10"),
            other(.builtInExceptions(!effective.hasBuiltInExceptions), DocsSection.builtInExceptions.rawValue),
            other(.pinWhenATSOff(!pinWhenATSOff), DocsSection.withATSOff.rawValue),
        ] + packageReadings(on: effective) + numberReadings(on: profile) + consoleReadings(on: profile)
    }

    /// The effect of a NIAP package on built-in exceptions (docs/law/keys.md#built-in-exceptions).
    private func packageReadings(on profile: OSProfile) -> [OtherReading] {
        guard profile.dropsBuiltInExceptionsUnderNIAP, builtInExceptions == nil else { return [] }
        return [
            other(.builtInExceptions(true), DocsSection.builtInExceptions.rawValue)
        ]
    }

    /// Alternative forms of console lines.
    private func consoleReadings(on profile: OSProfile) -> [OtherReading] {
        let known = ConsoleVariant.allCases.filter { $0.isAlternative && $0.isKnown(on: profile.release.generation) }
        return known.map { variant in
            let shown = apple.variants.symmetricDifference([variant])
            return other(.consoleVariants(shown), DocsSection.consoleVariants.rawValue)
        }
    }

    /// C4 to C6: the requirements for a handshake.
    private func tlsReadings(on profile: OSProfile) -> [OtherReading] {
        var readings = [
            other(.keySizeWithoutForwardSecrecy(!keySizeWithoutForwardSecrecy), "C4"),
            other(certificateScope == .chain ? .certificateScope(.leaf) : .certificateScope(.chain), "C5"),
            other(suiteList == .published ? .suiteList(.documented) : .suiteList(.published), "C6"),
        ]
        // Before 15.4 every source has these suites, so the switch matters only to users who removed them.
        if let cbcSHA2 {
            readings.append(other(.cbcSHA2(!cbcSHA2), "C6"))
        } else if profile.release.generation >= OSVersion(15, 4), suiteList == .published {
            readings.append(other(.cbcSHA2(true), "C6"))
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
            readings.append(
                other(.handshakeFailureCode(code), "C14"))
        }
        // On 26 and later only -9813 was seen (docs/law/errors.md#by-failure).
        if apple.selfSigned != nil || release.major < 26 {
            let code =
                apple.selfSigned(on: release) == .invalidChain ? AppleReadings.SelfSigned.missingRoot : .invalidChain
            readings.append(other(.selfSignedCode(code), "C15"))
        }
        return readings
    }

    /// C2, if ATS applies to addresses and they can be local (docs/law/addresses.md#by-release,
    /// docs/law/addresses.md#direct).
    private func localReadings(on profile: OSProfile) -> [OtherReading] {
        let isStrict: Bool
        guard strictIP != nil || !profile.hasOneReadingOfAddresses else {
            return localNetworks == Self.defaultLocalNetworks
                ? [other(.localNetworks(.onLink), "C2")] : []
        }
        switch profile.read(with: self).localRule {
        case .none, .namesAndAllAddresses: return []
        case .names: isStrict = true
        case .direct: isStrict = false
        }
        var readings = [other(.strictIP(!isStrict), "C2")]
        if profile.localRule == .names {
            readings.append(
                other(linkedSDK == .bundle ? .linkedSDK(.newest) : .linkedSDK(.bundle), "C2"))
        }
        guard localNetworks == Self.defaultLocalNetworks else { return readings }
        readings.append(other(.localNetworks(.onLink), "C2"))
        readings.append(other(.localNetworks(.withSharedSpace), "C2"))
        // The documentation: YES permits all addresses, and by default none are permitted (documented;
        // docs/law/addresses.md#local-networking-key).
        readings.append(other([.localNetworks(.any), .strictIP(true)], "C2"))
        return readings
    }

    private func other(_ setting: SwitchSetting, _ source: String) -> OtherReading { other([setting], source) }

    private func other(_ settings: [SwitchSetting], _ source: String) -> OtherReading {
        var switches = self
        for setting in settings { switches.take(setting) }
        return OtherReading(settings: settings, source: source, switches: switches)
    }
}
