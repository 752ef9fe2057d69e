import ATSPolicy
import Testing

@Suite struct AppleAlertTests {
    /// Every generation, and every release in which a number changes.
    static let profiles = [
        "ios9", "ios10", "ios11", "ios12", "ios13", "ios15", "ios17", "ios18.4", "ios26", "macos10.14", "macos26.4",
        "ios27",
    ]

    private static func status(_ alert: UInt8, _ profile: OSProfile) -> Int? {
        AppleErrorTests.error(.handshake(.alertReceived(alert), rule: nil), profile).streamErrorCode
    }

    @Test(
        "alerts have Apple's numbers before 12 (coreTLS) and from 12 on (BoringSSL)",
        arguments: [
            (UInt8(0), -9805, -9816), (10, -9819, -9819), (20, -9820, -9820), (40, -9824, -9858), (42, -9825, -9825),
            (43, -9826, -9826), (44, -9827, -9827), (45, -9828, -9828), (46, -9829, -9829), (47, -9830, -9830),
            (48, -9831, -9831), (49, -9832, -9832), (50, -9833, -9833), (51, -9834, -9834), (60, -9835, -9835),
            (70, -9836, -9836), (71, -9837, -9837), (80, -9838, -9838), (86, -9802, -9860), (90, -9839, -9839),
            (100, -9840, -9840), (109, -9802, -9861), (112, -9802, -9865), (113, -9802, -9862), (115, -9802, -9864),
            (116, -9802, -9863), (200, -9802, -9802),
        ])
    func columns(alert: UInt8, coreTLS: Int, boringSSL: Int) throws {
        for name in Self.profiles {
            let profile = try #require(OSProfile.named(name))
            let isOld = profile.release.generation < OSVersion(12)
            #expect(Self.status(alert, profile) == (isOld ? coreTLS : boringSSL), "\(name)")
        }
    }

    @Test("an alert's name gives its BoringSSL code, in any case")
    func names() {
        #expect(AppleError.streamCode(ofAlertNamed: "handshake failure") == -9858)
        #expect(AppleError.streamCode(ofAlertNamed: "Unknown CA") == -9831)
        #expect(AppleError.streamCode(ofAlertNamed: "no such alert") == nil)
    }

    private static func status(_ failure: LoadFailure, _ profile: OSProfile, _ readings: AppleReadings) -> Int? {
        AppleErrorTable.error(
            for: failure, target: RuleCases.target, urlText: "", profile: profile, facts: nil,
            identifiers: AppleErrorTests.identifiers, readings: readings
        ).streamErrorCode
    }

    @Test("C14: the number for alert 40 can be set to -9824 or -9858")
    func handshakeFailureReading() throws {
        let failure = LoadFailure.handshake(.alertReceived(40), rule: nil)
        for name in Self.profiles {
            let profile = try #require(OSProfile.named(name))
            for code in AppleReadings.HandshakeFailure.allCases {
                let readings = AppleReadings(handshakeFailure: code)
                #expect(Self.status(failure, profile, readings) == -code.rawValue, "\(name)")
            }
        }
    }

    @Test("an untrusted root is -9813, or -9807 if it is not served; C15 sets the number of a served root only")
    func untrustedRootReading() throws {
        for name in ["ios9", "ios14", "ios15", "ios26"] {
            let profile = try #require(OSProfile.named(name))
            func status(_ rule: RuleID, _ readings: AppleReadings = AppleReadings()) -> Int? {
                Self.status(.trust(rule, isStrict: false), profile, readings)
            }
            #expect(status(.selfSigned) == -9813 && status(.untrustedRoot) == -9813, "\(name)")
            #expect(status(.incompleteChain) == -9807, "\(name)")
            for code in AppleReadings.UntrustedRoot.allCases {
                let readings = AppleReadings(untrustedRoot: code)
                #expect(status(.untrustedRoot, readings) == -code.rawValue, "\(name)")
                #expect(status(.selfSigned, readings) == -9813 && status(.incompleteChain, readings) == -9807)
            }
            let strict = LoadFailure.trust(.untrustedRoot, isStrict: true)
            #expect(Self.status(strict, profile, AppleReadings(untrustedRoot: .invalidChain)) == -9802)
        }
    }

    @Test("the alert that the gate sends gives the client the intended number, on every generation")
    func alertsEcho() throws {
        let failures: [LoadFailure] =
            [.handshake(.versionNotOffered, rule: .tlsVersion), .trust(.expired, isStrict: true)]
            + (1...255).map { .handshake(.alertReceived($0), rule: nil) }
        for name in Self.profiles {
            let profile = try #require(OSProfile.named(name))
            for failure in failures {
                let alert = RefusalAlert.alert(for: failure, on: profile)
                // The client itself reports -9801; no alert causes it.
                if case .handshake(.versionNotOffered, _) = failure, [.ios9, .ios10].contains(profile.logGeneration) {
                    #expect(alert == 40)
                    continue
                }
                let wanted = AppleErrorTests.error(failure, profile).streamErrorCode
                #expect(Self.status(alert, profile) == wanted, "\(name) \(failure)")
            }
        }
    }

    @Test("a load that the app's pinning cancels is -999 without log lines")
    func appPin() {
        for profile in OSProfile.all {
            let error = AppleErrorTests.error(.trust(.appPin, isStrict: true), profile)
            #expect(error.code == -999 && error.constant == "NSURLErrorCancelled" && error.streamErrorCode == nil)
            #expect(error.log.isEmpty && error.detailCode == nil && error.confidence == .inferred)
        }
    }
}
