import ATSPolicy
import Testing

/// `--os auto`: the release read from a User-Agent or from a declaration. Source: matomo-org/device-detector,
/// ua-parser/uap-core; docs/law/loaders.md#user-agent, docs/law/profiles.md#darwin.
struct ProfileGuessTests {
    @Test(
        "the User-Agent of an Apple loader gives the release",
        arguments: [
            ("Shop/1 CFNetwork/758.2.8 Darwin/15.0.0", "ios9"),
            ("Shop/1 CFNetwork/758.5.3 Darwin/15.6.0", "ios9.3.3"),
            ("Shop/1 CFNetwork/811.5.4 Darwin/16.7.0", "ios10.3.3"),
            ("Shop/1 CFNetwork/975.0.3 Darwin/18.2.0", "ios12.1"),
            ("Shop/1 CFNetwork/978.0.7 Darwin/18.5.0", "ios12.2"),
            ("Shop/1 CFNetwork/1329 Darwin/21.3.0", "ios15.3"),
            ("Shop/1 CFNetwork/1331.0.7 Darwin/21.4.0", "ios15.4"),
            ("Shop/1 CFNetwork/1410.0.3 Darwin/22.6.0", "ios16.6"),
            ("Shop/1 CFNetwork/1496.0.7 Darwin/23.5.0", "ios17.5"),
            ("Shop/1 CFNetwork/3826.500.62 Darwin/24.4.0", "ios18.4"),
            ("Shop/1 CFNetwork/3826.500.131 Darwin/24.5.0", "ios18.5"),
            ("Shop/1 CFNetwork/3860.100.1 Darwin/25.0.0", "ios26"),
            ("Shop/1 CFNetwork/3860.500.83 Darwin/25.4.0", "ios26.4"),
            ("Shop/1 CFNetwork/3860.700.1 Darwin/25.6.0", "ios26.6"), ("Shop/1 CFNetwork/3860.700.1", "ios26.6"),
            ("Shop/1 CFNetwork/3870.100.1 Darwin/26.0.0", "ios27"),
            ("Shop/1 CFNetwork/3886.100.1 Darwin/27.0.0", "ios27"),
            ("Shop/1 CFNetwork/3896.100.1.2.1 Darwin/27.0.0", "ios27"),
            ("Shop/1 CFNetwork/3896.100.1.1.1 Darwin/27.0.0 (x86_64)", "macos27"),
            ("Shop/1 CFNetwork/3896.200.41 Darwin/27.2.0", "ios27.2"), ("Shop/1 CFNetwork/3896.200.31", "ios27.2"),
            // A simulator of 26.5 on a Mac with 27.
            ("Shop/1 CFNetwork/3860.600.12 Darwin/27.0.0", "ios26.5"),
            ("Shop/1 CFNetwork/760.6.3 Darwin/15.6.0 (x86_64)", "macos10.11.6"),
            ("Shop/1 CFNetwork/807.3 Darwin/16.6.0", "macos10.12.5"),
            ("Shop/1 CFNetwork/978.0.7 Darwin/18.5.0 (x86_64)", "macos10.14.4"),
            ("Shop/1 CFNetwork/1209 Darwin/20.2.0 (x86_64)", "macos11.1"),
            ("Shop/1 CFNetwork/1331.0.7 Darwin/21.4.0 (x86_64)", "macos12.3"),
            ("Shop/1 CFNetwork/1399 Darwin/22.1.0 (x86_64)", "macos13"),
            ("Shop/1 CFNetwork/3826.500.62 Darwin/24.4.0 (x86_64)", "macos15.4"),
            ("com.apple.WebKit.Networking/1 CFNetwork/1485 Darwin/23.1.0", "ios17.1"),
            ("Shop/1 CFNetwork/1494.0.5", "ios17.4"),
            ("Shop/1 Darwin/19.4.0", "ios13.4"),
            ("AppleCoreMedia/1.0.0.21F79 (iPhone; U; CPU OS 17_5 like Mac OS X; en_us)", "ios17.5"),
            ("AppleCoreMedia/1.0.0.15R372 (Apple TV; U; CPU OS 11_0 like Mac OS X; en_us)", "tvos11"),
            (
                "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) "
                    + "Mobile/15E148", "ios17.5"
            ),
            (
                "Mozilla/5.0 (iPad; CPU OS 16_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/16.6 "
                    + "Mobile/15E148 Safari/604.1", "ios16.6"
            ),
            (
                "Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) "
                    + "Version/26.4 Mobile/15E148 Safari/604.1", "ios26.4"
            ),
            (
                "Mozilla/5.0 (iPhone; CPU iPhone OS 18_7 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) "
                    + "Version/27.0 Mobile/15E148 Safari/604.1", "ios27"
            ),
            (
                "Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) "
                    + "Mobile/15E148", "ios18.6"
            ),
        ])
    func agents(agent: String, name: String) {
        #expect(OSProfile.guess(userAgent: agent)?.profile.name == name)
    }

    @Test("for a simulator CFNetwork decides, and a note warns about the Mac's kernel")
    func simulator() throws {
        let device = try #require(OSProfile.guess(userAgent: "Shop/1 CFNetwork/1496.0.7 Darwin/23.5.0"))
        #expect(device.evidence == "Darwin 23.5")
        #expect(device.notes.contains { $0.contains("simulator") && $0.contains("macOS 14.5") })
        let mixed = try #require(OSProfile.guess(userAgent: "Shop/1 CFNetwork/1410.0.3 Darwin/24.5.0"))
        #expect(mixed.profile.name == "ios16.6")
        #expect(mixed.notes.contains { $0.contains("macOS 15.5") && $0.contains("inferred") })
    }

    @Test("a web view's frozen version has a note, and a Mac's gives no release")
    func frozen() throws {
        let view = try #require(OSProfile.guess(userAgent: "Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X)"))
        #expect(view.notes.contains { $0.contains("every later release") })
        #expect(
            OSProfile.guess(userAgent: "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15") == nil)
    }

    @Test("a kernel newer than all known ones gives the newest profile, with a note")
    func future() throws {
        let guess = try #require(OSProfile.guess(userAgent: "Shop/1 CFNetwork/3990.100.1 Darwin/28.0.0"))
        #expect(guess.profile == .newest && guess.notes.contains { $0.contains("newer") })
    }

    @Test(
        "other User-Agents give no release",
        arguments: [
            "", "Darwin/", "CFNetwork/x Darwin/y", "curl/8.5.0", "Darwin/14.0.0", "Darwin/99999999999999999999",
            "Darwin/\u{FFFD}", "AppleCoreMedia/1 (iPhone; U; CPU OS 99_9)", "AppleCoreMedia/", "CFNetwork/1.0",
            String(repeating: "Darwin", count: 100_000),
        ])
    func silent(agent: String) {
        #expect(OSProfile.guess(userAgent: agent) == nil)
    }

    private func plist(_ members: [(String, String)]) throws -> Declaration {
        let list = members.map { PropertyMember(key: $0.0, node: PropertyNode(.string($0.1))) }
        return try Declaration(root: PropertyNode(.dictionary(list)), source: "Info.plist")
    }

    @Test("a declaration gives the release that the app is built for")
    func declarations() throws {
        let rows: [([(String, String)], String?)] = [
            ([("MinimumOSVersion", "15.0"), ("DTPlatformVersion", "26.0")], "ios15"),
            ([("MinimumOSVersion", "12.2"), ("DTPlatformName", "appletvos")], "tvos12.2"),
            ([("LSMinimumSystemVersion", "11.0")], "macos11"),
            ([("LSMinimumSystemVersion", "10.13.4")], "macos10.13.4"),
            ([("MinimumOSVersion", "10.13")], "macos10.13"),
            ([("MinimumOSVersion", "1.0"), ("DTPlatformName", "xros")], "visionos1"),
            ([("DTPlatformVersion", "26.4"), ("DTPlatformName", "macosx")], "macos26.4"),
            ([("DTPlatformVersion", "18.5")], "ios18.5"),
            ([("MinimumOSVersion", "$(X)"), ("DTPlatformVersion", "17.0")], "ios17"),
            ([("MinimumOSVersion", "8.0"), ("DTPlatformVersion", "17.0")], "ios17"),
            ([("CFBundleIdentifier", "a.b")], nil),
        ]
        for (members, name) in rows {
            #expect(OSProfile.guess(declaration: try plist(members))?.profile.name == name, "\(members)")
        }
        let guess = try #require(OSProfile.guess(declaration: try plist(rows[0].0)))
        #expect(guess.evidence == "MinimumOSVersion 15.0" && guess.notes.count == 1)
        #expect(OSProfile.guess(declaration: .secureDefaults) == nil)
    }

    @Test("a User-Agent contradicts a profile only if its release has other ATS rules")
    func contradiction() {
        let app = "Shop/12 CFNetwork/1494.0.5 Darwin/23.4.0"
        #expect(OSProfile.newest.differingProfile(in: app)?.title == "iOS 17.4")
        #expect(OSProfile.named("ios17.4")?.differingProfile(in: app) == nil)
        #expect(OSProfile.named("macos14.4")?.differingProfile(in: app) == nil)
        #expect(OSProfile.newest.differingProfile(in: "Shop/12 CFNetwork/3896.200.41 Darwin/27.2.0") == nil)
        #expect(OSProfile.iOS26_4.differingProfile(in: "Shop/12 CFNetwork/3860.700.1 Darwin/25.6.0") == nil)
        #expect(OSProfile.newest.differingProfile(in: "curl/8.5.0") == nil)
        // A web view sends this version on every release from 18.6 on.
        let view = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 Mobile/15E148"
        #expect(OSProfile.newest.differingProfile(in: view) == nil)
        let old = view.replacing("18_6", with: "18_5")
        #expect(OSProfile.newest.differingProfile(in: old)?.title == "iOS 18.5")
    }
}
