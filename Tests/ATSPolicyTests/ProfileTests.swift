import ATSPolicy
import Testing

/// Profiles as data: each release has its own properties. Source: Security, SecProtocolConfiguration.m in its tags;
/// Apple, NSAppTransportSecurity; Apple, NSAllowsLocalNetworking; docs/law/profiles.md, docs/law/keys.md,
/// docs/law/addresses.md, docs/law/tls.md.
struct ProfileTests {
    @Test("the canonical profiles are pairs of an iOS release and its macOS twin")
    func canonical() {
        #expect(
            OSProfile.all.map(\.name) == [
                "ios9", "macos10.11", "ios10", "macos10.12", "ios17", "macos14", "ios18.4", "macos15.4", "ios26",
                "macos26", "ios26.4", "macos26.4", "ios27", "macos27",
            ])
        #expect(OSProfile.newest.name == "ios27" && OSProfile.newest.title == "iOS 27")
        for profile in OSProfile.all { #expect(OSProfile.named(profile.name.uppercased()) == profile) }
    }

    @Test("twins differ only in their name")
    func twins() {
        for index in stride(from: 0, to: OSProfile.all.count, by: 2) {
            let (phone, mac) = (OSProfile.all[index], OSProfile.all[index + 1])
            #expect(phone.release.generation == mac.release.generation)
            for trait in OSProfile.Trait.allCases { #expect(phone.adopting(trait, from: mac) == phone) }
        }
    }

    /// Release; engine; number of ATS suites and of static RSA suites; newest TLS; floor; local rule; log generation.
    static let table = """
        ios9         classic 12 6 1.2 1.0 none                    9
        ios9.3.5     classic 12 6 1.2 1.0 none                    9
        tvos9        classic 12 6 1.2 1.0 none                    9
        macos10.11.6 classic 12 6 1.2 1.0 none                    9
        ios10.3      classic 12 6 1.2 1.0 names-and-all-addresses 10
        ios11        classic 12 6 1.2 1.0 names-and-all-addresses 11
        ios11.4      classic 12 6 1.2 1.0 names-and-all-addresses 11
        macos10.13   classic 12 6 1.2 1.0 names-and-all-addresses 11
        ios12        classic 14 6 1.2 1.0 names-and-all-addresses 12
        ios12.1      classic 14 6 1.2 1.0 names-and-all-addresses 12
        ios12.2      classic 17 6 1.3 1.0 names-and-all-addresses 12
        tvos12.2     classic 17 6 1.3 1.0 names-and-all-addresses 12
        macos10.14.3 classic 14 6 1.2 1.0 names-and-all-addresses 12
        macos10.14.4 classic 17 6 1.3 1.0 names-and-all-addresses 12
        ios13        classic 17 6 1.3 1.0 names-and-all-addresses 13-15
        macos10.15.7 classic 17 6 1.3 1.0 names-and-all-addresses 13-15
        macos11.2    classic 17 6 1.3 1.0 names-and-all-addresses 13-15
        ios15.3      classic 17 6 1.3 1.0 names-and-all-addresses 13-15
        macos12.2    classic 17 6 1.3 1.0 names-and-all-addresses 13-15
        ios15.4      classic 13 4 1.3 1.0 names-and-all-addresses 13-15
        macos12.3    classic 13 4 1.3 1.0 names-and-all-addresses 13-15
        ios16        classic 13 4 1.3 1.0 names-and-all-addresses 16-18
        ipados16.7.2 classic 13 4 1.3 1.0 names-and-all-addresses 16-18
        macos13      classic 13 4 1.3 1.0 names-and-all-addresses 16-18
        watchos9     classic 13 4 1.3 1.0 names-and-all-addresses 16-18
        ios17.5      classic 13 4 1.3 1.0 names                   16-18
        macos14.4    classic 13 4 1.3 1.0 names                   16-18
        visionos1    classic 13 4 1.3 1.0 names                   16-18
        ios18        classic 13 4 1.3 1.0 names                   16-18
        ios18.3      classic 13 4 1.3 1.0 names                   16-18
        macos15.3    classic 13 4 1.3 1.0 names                   16-18
        visionos2.3  classic 13 4 1.3 1.0 names                   16-18
        ios18.5      modern  13 4 1.3 1.0 direct                  16-18
        macos15.5    modern  13 4 1.3 1.0 direct                  16-18
        visionos2.4  modern  13 4 1.3 1.0 direct                  16-18
        ios26.0      modern  13 4 1.3 1.2 direct                  26
        tvos26.1     modern  13 4 1.3 1.2 direct                  26
        visionos26   modern  13 4 1.3 1.2 direct                  26
        ios26.6      modern  13 4 1.3 1.2 direct                  26
        ios27        modern  13 4 1.3 1.2 direct                  27
        macos27.2    modern  13 4 1.3 1.2 direct                  27
        tvos27       modern  13 4 1.3 1.2 direct                  27
        watchos27    modern  13 4 1.3 1.2 direct                  27
        visionos27   modern  13 4 1.3 1.2 direct                  27
        ipados27.1   modern  13 4 1.3 1.2 direct                  27
        """

    @Test("a release has its own suites, versions, local rule and log lines")
    func properties() throws {
        for line in Self.table.split(separator: "\n") {
            let words = line.split(separator: " ").map(String.init)
            let profile = try #require(OSProfile.named(words[0]), "\(line)")
            let seen = [
                profile.engine.rawValue, "\(profile.atsSuites.count)", "\(profile.staticRSASuites.count)",
                profile.newestTLS.name, profile.tlsFloor.name, profile.localRule.rawValue,
                profile.logGeneration.rawValue,
            ]
            #expect(seen == Array(words.dropFirst()), "\(line)")
        }
    }

    @Test("the ATS suites have the expected numbers")
    func suites() throws {
        func codes(_ name: String) throws -> [UInt16] {
            try #require(OSProfile.named(name)).atsSuites.map(\.code).sorted()
        }
        #expect(try codes("ios11") == VectorSuites.coreTLS.sorted())
        #expect(try codes("ios12") == VectorSuites.since13.dropFirst(3).sorted())
        #expect(try codes("ios15.3") == VectorSuites.since13.sorted())
        for name in ["ios15.4", "ios26", "ios27"] { #expect(try codes(name) == VectorSuites.since15_4.sorted()) }
        #expect(OSProfile.iOS10.staticRSASuites.map(\.code) == VectorSuites.rsaTo15_3)
        #expect(OSProfile.iOS26.staticRSASuites.map(\.code) == VectorSuites.rsaSince15_4)
    }

    @Test("each release knows the keys that were introduced by then")
    func keys() throws {
        let rows: [(String, OSProfile.Keys)] = [
            ("ios9", [.legacySpellings]),
            ("ios10", [.siblings, .certificateTransparency, .legacySpellings]),
            ("macos10.15", [.siblings, .certificateTransparency, .legacySpellings]),
            ("ios14", [.siblings, .certificateTransparency, .legacySpellings, .pinnedDomains]),
            ("macos11", [.siblings, .certificateTransparency, .legacySpellings, .pinnedDomains]),
            ("ios17", [.siblings, .certificateTransparency, .legacySpellings, .pinnedDomains, .addresses]),
            ("ios18.4", [.siblings, .pinnedDomains, .addresses]),
            ("ios26.3", [.siblings, .pinnedDomains, .addresses]),
            ("ios26.4", [.siblings, .pinnedDomains, .addresses, .niap]),
        ]
        for (name, keys) in rows { #expect(OSProfile.named(name)?.keys == keys, "\(name)") }
    }

    @Test("27 inherits the rules of 26.4, except for built-in exceptions under a NIAP package, and names its source")
    func inherited() throws {
        let traits = OSProfile.Trait.allCases.filter { OSProfile.iOS27.adopting($0, from: .iOS26_4) != .iOS27 }
        #expect(traits == [.builtInsUnderNIAP] && OSProfile.iOS27.engine == OSProfile.iOS26_4.engine)
        for (name, from) in [("ios27", "ios26.4"), ("tvos27.1", "ios26.4"), ("macos27", "macos26.4")] {
            #expect(OSProfile.named(name)?.inheritedFrom?.name == from)
        }
        #expect(OSProfile.all.filter { $0.inheritedFrom != nil } == [.iOS27, .macOS27])
    }

    @Test("only 18.4.x counts values that are not Booleans as false")
    func typing() {
        let strict = ["ios18.3", "ios18.4", "ios18.4.1", "macos15.4", "ios18.5", "macos15.5", "ios26"].map {
            OSProfile.named($0)?.countsOddBooleansAsFalse
        }
        #expect(strict == [false, true, true, true, false, false, false])
    }

    @Test(
        "releases that do not exist, or had no ATS, have no profile; near names are suggested",
        arguments: [
            ("ios8", "ios9"), ("ios19", "ios18.4"), ("ios25", "ios26"), ("macos10.10", "macos10.11"),
            ("macos16", "macos15.4"), ("osx10.11", "macos10.11"), ("ios28", "ios27"), ("ios 26", "ios26"),
            ("", "ios27"), ("ios", "ios27"), ("ios26.", "ios26"), ("iphone17", "ios17"), ("visionos3", "ios9"),
            ("ios99999999999999999999", "ios27"), ("ios17.4.1.1", "ios17"), ("ipados12", "ios10"),
        ])
    func unknown(name: String, nearest: String) {
        #expect(OSProfile.named(name) == nil)
        #expect(OSProfile.names(near: name).contains(nearest), "\(OSProfile.names(near: name))")
    }
}
