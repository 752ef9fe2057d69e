import ATSPolicy
import Testing

/// Results that reports from real devices prove, each named with its source.
@Suite struct FieldEvidenceTests {
    private func profile(_ name: String) throws -> OSProfile { try #require(OSProfile.named(name)) }

    @Test(
        "coreTLS reports -9801 for an answer with an old version (Stack Overflow 30720813; nscurl listings of 2018)",
        arguments: [("ios9", -9801), ("ios10", -9801), ("macos10.12", -9801), ("ios11", -9836), ("ios26", -9836)])
    func oldVersion(name: String, number: Int) throws {
        let error = AppleErrorTests.error(.handshake(.versionNotOffered, rule: .tlsVersion), try profile(name))
        #expect(error.code == -1200 && error.streamErrorCode == number)
        #expect((error.confidence == .observed) == (number == -9801))
        #expect(!error.log.isEmpty && error.log.allSatisfy { !$0.contains("-9802") })
    }

    @Test(
        "https to a local name is judged strictly on 10 to 13 (Alamofire 2402 and 3091, Sparkle 997)",
        arguments: [
            ("ios9", true), ("ios10", true), ("ios11.2", true), ("ios13.3", true), ("macos10.12", true),
            ("macos10.15", true), ("ios14", false), ("macos11", false), ("ios17", false), ("ios26", false),
        ])
    func localNamesOverTLS(name: String, isStrict: Bool) throws {
        let profile = try profile(name)
        for host in ["localhost", "printer", "tv.local"] {
            let verdicts = try Verdicts([:], host: host, profile: profile)
            #expect(verdicts.demands?.strictTrust == (isStrict ? true : nil))
            #expect(verdicts.isCleartextAllowed == (name != "ios9"))
        }
    }

    @Test("the key, an entry, or ATS off ends strict trust for local names", arguments: ["ios10", "ios13"])
    func localNamesFreed(name: String) throws {
        let profile = try profile(name)
        let entry: PropertyValue = ["NSExceptionDomains": ["localhost": ["NSExceptionAllowsInsecureHTTPLoads": true]]]
        for free: PropertyValue in [["NSAllowsLocalNetworking": true], ["NSAllowsArbitraryLoads": true]] {
            #expect(try Verdicts(free, host: "localhost", profile: profile).demands == nil)
        }
        #expect(try Verdicts(entry, host: "localhost", profile: profile).demands?.strictTrust == false)
    }

    @Test("the strict ruling for a local name has a note and its confidence")
    func localNamesExplained() throws {
        let judge = Judge(declaration: try declaration([:]), profile: .iOS10)
        let secure = judge.rule(on: LoadTarget(scheme: .https, host: "localhost", port: 443), loader: .app).basis
        #expect(secure.step == .secureDefault && secure.isLocal && secure.confidence == .observed)
        #expect(secure.notes.contains { $0.contains("NSAllowsLocalNetworking is true") })
        let plain = judge.rule(on: LoadTarget(scheme: .http, host: "localhost", port: 80), loader: .app).basis
        #expect(plain.step == .local && plain.confidence == .documented)
        #expect(plain.notes.contains { $0.contains("(C16)") })
    }

    @Test(
        "C16: in the other reading, http to local names requires the key on 10 to 13",
        arguments: [("ios10", false), ("ios13", false), ("ios14", true), ("ios17", true), ("ios26", true)])
    func localNamesAsk(name: String, isFree: Bool) throws {
        var switches = JudgeSwitches()
        switches.localNames = .ask
        let profile = try profile(name)
        let asked = try Verdicts([:], host: "localhost", profile: profile, switches: switches)
        #expect(asked.isCleartextAllowed == isFree)
        let granted = try Verdicts(
            ["NSAllowsLocalNetworking": true], host: "localhost", profile: profile, switches: switches)
        #expect(granted.isCleartextAllowed)
        let others = switches.otherReadings(on: profile).map(\.option)
        #expect(others.contains("--reading local-names=free") == !isFree)
    }

    @Test("if a local host requires the key, the remedy proposes to set it, not to remove it (C2, C16)")
    func remedyForLocalHosts() throws {
        var asking = JudgeSwitches()
        asking.localNames = .ask
        let hosts: [(String, OSProfile, JudgeSwitches)] = [
            ("printer", .iOS10, asking), ("10.0.0.5", .iOS17, JudgeSwitches()),
        ]
        for (host, profile, switches) in hosts {
            let basis = try Verdicts([:], host: host, profile: profile, switches: switches).cleartext.basis
            let target = LoadTarget(scheme: .http, host: host, port: 80)
            let remedy = RuleBook.standard.judgeCleartext(to: target, basis: basis, profile: profile).remedy
            #expect(remedy?.sentences.contains { $0.hasPrefix("Or set NSAllowsLocalNetworking to true:") } == true)
        }
        let forbidden = try Verdicts(["NSAllowsLocalNetworking": false], host: "printer").cleartext.basis
        let target = LoadTarget(scheme: .http, host: "printer", port: 80)
        let remedy = RuleBook.standard.judgeCleartext(to: target, basis: forbidden, profile: .newest).remedy
        #expect(
            remedy?.sentences.contains { $0.hasPrefix("Or remove NSAllowsLocalNetworking or set it to true") } == true)
    }

    @Test(
        "up to 10 the app's own trust anchors satisfy even strict ATS (TrustKit 154; Stack Overflow 46316604)",
        arguments: [("ios9", true), ("ios10", true), ("macos10.12", true), ("ios11", false), ("ios26", false)])
    func ownAnchors(name: String, isAccepted: Bool) throws {
        func verdict(_ change: (inout HandshakeCase) -> Void) throws -> HandshakeVerdict {
            let handshake = RuleCases.good(try profile(name), change)
            return AppTrust(override: .everywhere).judge(RuleBook.standard.judge(handshake), of: handshake)
        }
        #expect(try (verdict { $0.facts.anchor = .unknownRoot }.failure == nil) == isAccepted)
        #expect(try (verdict { RuleCases.selfSigned(&$0) }.failure == nil) == isAccepted)
        let expired = try verdict {
            $0.facts.anchor = .unknownRoot
            $0.facts.path[0].notAfter = RuleCases.now - 1
        }
        #expect(expired.failure != nil)
    }

    @Test("a reset during the handshake has its own line on 26")
    func resetInHandshake() {
        let line = "received ECONNRESET with incomplete TLS handshake - generating errSSLClosedNoNotify"
        let new = AppleErrorTests.error(.handshake(.closed(reset: true), rule: nil), .iOS26)
        #expect(new.log.first == line && new.streamErrorCode == -9816)
        #expect(!AppleErrorTests.error(.handshake(.closed(reset: true), rule: nil), .iOS18_4).log.contains(line))
    }

    @Test(
        "a self-signed leaf is -9813 where ATS is off (Alamofire 819, Just 64)", arguments: ["ios9", "ios10", "ios16"])
    func selfSignedNumber(name: String) throws {
        let error = AppleErrorTests.error(.trust(.selfSigned, isStrict: false), try profile(name))
        #expect(error.streamErrorCode == -9813 && error.confidence == .observed)
    }

    @Test("http to private addresses is observed to be allowed on 26 (macparakeet 969, locus 91)")
    func privateAddresses() throws {
        let new = try Verdicts([:], host: "192.168.1.5", profile: .macOS26)
        #expect(new.isCleartextAllowed && new.cleartext.basis.confidence == .observed)
        #expect(try Verdicts([:], host: "192.168.1.5", profile: .iOS18_4).cleartext.basis.confidence == .inferred)
        #expect(
            try !Verdicts(["NSAllowsLocalNetworking": true], host: "100.64.1.1", profile: .macOS26).isCleartextAllowed)
    }

    @Test("on 17 to 18.3 an app linked before 17 keeps the older rule for addresses (ivpn/ios-app 366)")
    func linkedBefore17() throws {
        func basis(
            _ members: [PropertyMember], _ profile: OSProfile, _ reading: JudgeSwitches.LinkedSDKReading = .bundle
        )
            throws -> (isFree: Bool, basis: RulingBasis)
        {
            let declaration = try Declaration(root: PropertyNode(.dictionary(members)), source: "Info.plist")
            var switches = JudgeSwitches()
            switches.linkedSDK = reading
            let ruling = Judge(declaration: declaration, profile: profile, switches: switches)
                .rule(on: LoadTarget(scheme: .http, host: "10.0.0.5", port: 80), loader: .app)
            if case .permit = ruling { return (true, ruling.basis) }
            return (false, ruling.basis)
        }
        func sdk(_ name: String) -> [PropertyMember] {
            [
                PropertyMember(key: "CFBundleIdentifier", node: PropertyNode(.string("a.b"))),
                PropertyMember(key: "DTSDKName", node: PropertyNode(.string(name))),
            ]
        }
        let old = try basis(sdk("iphoneos16.4"), .iOS17)
        #expect(old.isFree && old.basis.step == .addressUngoverned && old.basis.confidence == .inferred)
        #expect(old.basis.notes.contains { $0.contains("the SDK of iOS 16.4 (DTSDKName)") && $0.contains("C2") })
        #expect(try !basis(sdk("iphoneos16.4"), .iOS17, .newest).isFree)
        #expect(try basis(sdk("macosx13.3"), .macOS14).isFree && !basis(sdk("macosx14.0"), .macOS14).isFree)
        let new = try basis(sdk("iphoneos17.2"), .iOS17)
        #expect(!new.isFree && new.basis.notes.contains { $0.contains("this app was linked with the SDK of iOS 17.2") })
        let unknown = try basis([sdk("iphoneos17.2")[0]], .iOS17)
        #expect(!unknown.isFree && unknown.basis.notes.contains { $0.contains("this app has no DTSDKName") })
        let platform = ["DTPlatformName": "iphoneos", "DTPlatformVersion": "16.2"].map {
            PropertyMember(key: $0, node: PropertyNode(.string($1)))
        }
        #expect(try basis(platform, .iOS17).isFree)
        // 18.4 has its own published rule, under which addresses that are not private stay governed.
        let later = try basis(sdk("iphoneos16.4"), .iOS18_4)
        #expect(later.isFree && later.basis.step == .local)
    }

    @Test("from 26 on an app linked before 26 keeps TLS 1.0 and 1.1 (iOS 26 release notes, 135996267)")
    func linkedBefore26() throws {
        func permit(_ sdk: String?, _ dictionary: PropertyValue, _ reading: String = "bundle") throws -> ConnectPermit {
            let members = [
                PropertyMember(key: "CFBundleIdentifier", node: PropertyNode(.string("a.b"))),
                PropertyMember(key: ATSKey.root, node: PropertyNode(dictionary)),
            ]
            let name = sdk.map { [PropertyMember(key: "DTSDKName", node: PropertyNode(.string($0)))] } ?? []
            let declaration = try Declaration(root: PropertyNode(.dictionary(members + name)), source: "Info.plist")
            var switches = JudgeSwitches()
            switches.take(try #require(SwitchSetting("linked-sdk=\(reading)")))
            let judge = Judge(declaration: declaration, profile: .iOS27, switches: switches)
            let ruling = judge.rule(on: LoadTarget(scheme: .https, host: "a.com", port: 443), loader: .app)
            return try #require(ruling.permit)
        }
        let off: PropertyValue = ["NSAllowsArbitraryLoads": true]
        let entry: PropertyValue = ["NSExceptionDomains": ["a.com": ["NSExceptionMinimumTLSVersion": "TLSv1.0"]]]
        for dictionary in [off, entry] {
            for (sdk, reading, minimum) in [
                ("iphoneos18.5", "bundle", TLSVersion.tls10), ("macosx15.5", "bundle", .tls10),
                ("xros2.5", "bundle", .tls10), ("iphoneos26.0", "bundle", .tls12), (nil, "bundle", .tls12),
                ("iphoneos18.5", "newest", .tls12), (nil, "ios18.5", .tls10), ("iphoneos26.2", "iphoneos18.0", .tls10),
            ] {
                let offer = try #require(try permit(sdk, dictionary, reading).offer)
                #expect(offer.minimum == minimum, "\(sdk ?? "none") \(reading)")
            }
        }
        #expect(try permit("iphoneos18.5", [:]).offer?.minimum == .tls12)
        #expect(SwitchSetting("linked-sdk=ios8") == nil && SwitchSetting("linked-sdk=new") == nil)
    }

    @Test("-9802 for another host's certificate under strict ATS was observed once")
    func strictHostName() {
        let error = AppleErrorTests.error(.trust(.hostName, isStrict: true), .iOS18_4, facts: RuleCases.facts)
        #expect(error.streamErrorCode == -9802 && error.confidence == .observedOnce)
    }
}
