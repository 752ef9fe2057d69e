import Text

/// A reading of the law that some source supports and that is not the one in use: a switch to flip, and why one might.
public struct OtherReading: Sendable, Hashable {
    /// As on the command line, for example `--subdomain-depth one`.
    public let option: String
    /// The contradiction of docs/contradictions.md, or a topic of docs/law.
    public let source: String
    public let switches: JudgeSwitches
}

extension JudgeSwitches {
    /// Every single switch that can be flipped on a system, in the order of ``Contradiction``. Source:
    /// docs/contradictions.md.
    public func otherReadings(on profile: OSProfile) -> [OtherReading] {
        var readings = [
            subdomainDepth == .any
                ? other("--subdomain-depth one", "C1") { $0.subdomainDepth = .one }
                : other("--subdomain-depth any", "C1") { $0.subdomainDepth = .any }
        ]
        readings += localReadings(on: profile)
        if profile.asksTLSOfLocalNames {
            readings.append(
                localNames == .free
                    ? other("--local-names ask", "C16") { $0.localNames = .ask }
                    : other("--local-names free", "C16") { $0.localNames = .free })
        }
        if profile.mayTakeLocalhostNames {
            readings.append(
                localhostNames == .remote
                    ? other("--localhost-names local", "C17") { $0.localhostNames = .local }
                    : other("--localhost-names remote", "C17") { $0.localhostNames = .remote })
        }
        if profile.asksTLSOfPrivateAddressesInWeb {
            readings.append(
                webLocalTrust == .strict
                    ? other("--web-local-trust free", "C18") { $0.webLocalTrust = .free }
                    : other("--web-local-trust strict", "C18") { $0.webLocalTrust = .strict })
        }
        if profile.keys.contains(.siblings) {
            readings.append(
                siblingKeys == .presence
                    ? other("--sibling-keys value", "C3") { $0.siblingKeys = .value }
                    : other("--sibling-keys presence", "C3") { $0.siblingKeys = .presence })
        }
        let effective = profile.read(with: self)
        return readings + tlsReadings(on: profile) + [
            flag("--legacy-keys", "C8", isOn: !effective.keys.contains(.legacySpellings)) { $0.legacyKeys = $1 },
            flag("--address-keys", "C9", isOn: !effective.keys.contains(.addresses)) { $0.addressKeys = $1 },
            insecureTrust == .app
                ? other("--insecure-trust any", "C10") { $0.insecureTrust = .any }
                : other("--insecure-trust app", "C10") { $0.insecureTrust = .app },
            flag("--built-in-exceptions", LawTopic.builtInExceptions.rawValue, isOn: !effective.hasBuiltInExceptions) {
                $0.builtInExceptions = $1
            },
            flag("--pin-when-ats-off", LawTopic.withATSOff.rawValue, isOn: !pinWhenATSOff) { $0.pinWhenATSOff = $1 },
        ] + packageReadings(on: effective) + numberReadings(on: profile) + consoleReadings(on: profile)
    }

    /// What a NIAP package may take away (docs/law/keys.md#built-in-exceptions).
    private func packageReadings(on profile: OSProfile) -> [OtherReading] {
        guard profile.dropsBuiltInExceptionsUnderNIAP, builtInExceptions == nil else { return [] }
        return [
            flag("--built-in-exceptions", LawTopic.builtInExceptions.rawValue, isOn: true) { $0.builtInExceptions = $1 }
        ]
    }

    /// Forms of the console's lines that stand in place of the usual ones.
    private func consoleReadings(on profile: OSProfile) -> [OtherReading] {
        let known = ConsoleVariant.allCases.filter { $0.isAlternative && $0.isKnown(on: profile.release.generation) }
        return known.map { variant in
            let shown = apple.variants.symmetricDifference([variant])
            let names = ConsoleVariant.allCases.filter { shown.contains($0) }.map(\.rawValue)
            let list = names.isEmpty ? "none" : names.joined(separator: ",")
            return other("--console-variants \(list)", LawTopic.consoleVariants.rawValue) { $0.apple.variants = shown }
        }
    }

    /// C4 to C6: what is asked of a handshake.
    private func tlsReadings(on profile: OSProfile) -> [OtherReading] {
        var readings = [
            flag("--key-size-without-pfs", "C4", isOn: !keySizeWithoutForwardSecrecy) {
                $0.keySizeWithoutForwardSecrecy = $1
            },
            certificateScope == .chain
                ? other("--certificate-scope leaf", "C5") { $0.certificateScope = .leaf }
                : other("--certificate-scope chain", "C5") { $0.certificateScope = .chain },
            suiteList == .published
                ? other("--suite-list documented", "C6") { $0.suiteList = .documented }
                : other("--suite-list published", "C6") { $0.suiteList = .published },
        ]
        // Before 15.4 every source has these suites, so only one who took them out needs to be told.
        if let cbcSHA2 {
            readings.append(flag("--cbc-sha2", "C6", isOn: !cbcSHA2) { $0.cbcSHA2 = $1 })
        } else if profile.release.generation >= OSVersion(15, 4), suiteList == .published {
            readings.append(flag("--cbc-sha2", "C6", isOn: true) { $0.cbcSHA2 = $1 })
        }
        return readings
    }

    /// C14 and C15, on the systems of which the sources differ, and where a number was chosen.
    private func numberReadings(on profile: OSProfile) -> [OtherReading] {
        let release = profile.release.generation
        var readings: [OtherReading] = []
        if apple.handshakeFailure != nil || release.major == 11 {
            let code =
                apple.handshakeFailure(on: release) == .coreTLS ? AppleReadings.HandshakeFailure.boringSSL : .coreTLS
            readings.append(
                other("--handshake-failure-code \(code.rawValue)", "C14") { $0.apple.handshakeFailure = code })
        }
        // Of 26 and later only -9813 was seen (docs/law/errors.md#by-failure).
        if apple.selfSigned != nil || release.major < 26 {
            let code =
                apple.selfSigned(on: release) == .invalidChain ? AppleReadings.SelfSigned.missingRoot : .invalidChain
            readings.append(other("--self-signed-code \(code.rawValue)", "C15") { $0.apple.selfSigned = code })
        }
        return readings
    }

    /// C2, where addresses are governed and may be local at all (docs/law/addresses.md#by-release,
    /// docs/law/addresses.md#direct).
    private func localReadings(on profile: OSProfile) -> [OtherReading] {
        let isStrict: Bool
        guard strictIP != nil || !profile.hasOneReadingOfAddresses else {
            return localNetworks == Self.defaultLocalNetworks
                ? [other("--local-nets on-link", "C2") { $0.localNetworks = Self.onLink }] : []
        }
        switch profile.read(with: self).localRule {
        case .none, .namesAndAllAddresses: return []
        case .names: isStrict = true
        case .direct: isStrict = false
        }
        var readings = [flag("--strict-ip", "C2", isOn: !isStrict) { $0.strictIP = $1 }]
        if profile.localRule == .names {
            readings.append(
                linkedSDK == .bundle
                    ? other("--linked-sdk newest", "C2") { $0.linkedSDK = .newest }
                    : other("--linked-sdk bundle", "C2") { $0.linkedSDK = .bundle })
        }
        guard localNetworks == Self.defaultLocalNetworks else { return readings }
        readings.append(other("--local-nets on-link", "C2") { $0.localNetworks = Self.onLink })
        if let shared = AddressBlock("100.64.0.0/10") {
            readings.append(
                other("--local-nets default,100.64.0.0/10", "C2") { $0.localNetworks.append(shared) })
        }
        // The documentation: YES permits all addresses, and nothing does by default (documented;
        // docs/law/addresses.md#local-networking-key).
        readings.append(
            other("--local-nets any --strict-ip on", "C2") {
                $0.localNetworks = Self.allNetworks
                $0.strictIP = true
            })
        return readings
    }

    private func other(
        _ option: String, _ source: String, _ change: (inout JudgeSwitches) -> Void
    ) -> OtherReading {
        var switches = self
        change(&switches)
        return OtherReading(option: option, source: source, switches: switches)
    }

    private func flag(
        _ option: String, _ source: String, isOn: Bool, _ change: (inout JudgeSwitches, Bool) -> Void
    ) -> OtherReading {
        other("\(option) \(isOn ? "on" : "off")", source) { change(&$0, isOn) }
    }
}
