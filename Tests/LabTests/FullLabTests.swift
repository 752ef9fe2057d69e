import ATSPolicy
import Foundation
import Lab
import Testing

@Suite("every edge of the ATS rules has an origin", .timeLimit(.minutes(3)))
struct FullLabTests {
    let neighbourhood: LabEnvironment
    private var lab: Lab { neighbourhood.lab }

    init() throws {
        neighbourhood = try LabEnvironment.full.get()
    }

    /// The releases on each side of every change in expectations, and the newest.
    static let systems = [
        "ios9", "ios10", "ios11", "macos10.14.3", "ios12.2", "ios13", "ios15.3", "ios15.4", "ios18.4", "macos26",
        "ios26.4", "ios27",
    ]

    @Test("the basic origins come first, and no name is repeated")
    func listed() throws {
        let basic = try LabEnvironment.shared.get().lab.origins.map(\.name)
        let names = lab.origins.map(\.name)
        #expect(Array(names.prefix(basic.count)) == basic)
        #expect(Set(names).count == names.count)
        #expect(names.count >= basic.count + 45)
        #expect(names.count { $0.hasPrefix("suite-") } == 23)
        #expect(names.allSatisfy { $0.hasSuffix(".lab.test") })
    }

    @Test("each origin has its predicted verdict and error on every release", arguments: systems)
    func promised(name: String) async throws {
        let profile = try #require(OSProfile.named(name))
        try await checkAll(on: profile, root: .system)
    }

    @Test("the predictions hold under a root that the user installed", arguments: ["ios12.2", "ios13", "ios26.4"])
    func promisedToUsers(name: String) async throws {
        let profile = try #require(OSProfile.named(name))
        try await checkAll(on: profile, root: .user)
    }

    @Test(
        "the predictions hold with the list of the lab's logs",
        arguments: ["ios10", "ios12.1", "ios12.1.1", "macos10.15", "ios15.4", "ios26.4"])
    func promisedWithLogs(name: String) async throws {
        let profile = try #require(OSProfile.named(name))
        try await checkAll(on: profile, root: .system, isListed: true)
    }

    /// Visits the silent origin while it visits the others.
    private func checkAll(on profile: OSProfile, root: LabRoot, isListed: Bool = false) async throws {
        let silent = try #require(lab.origin(named: "stalls.lab.test"))
        async let isSilent: Void = check(silent, on: profile, root: root, isListed: isListed)
        for origin in lab.origins where origin.name != silent.name {
            try await check(origin, on: profile, root: root, isListed: isListed)
        }
        try await isSilent
    }

    private func check(
        _ origin: LabOrigin, on profile: OSProfile, root: LabRoot, isListed: Bool = false
    ) async throws {
        let trial = Trial(
            neighbourhood: neighbourhood, declaration: .secureDefaults, profile: profile, root: root,
            isListed: isListed)
        let verdict = try #require(try await trial.verdict(on: origin))
        let expected = origin.expectation(on: profile, root: root, isListed: isListed)
        let place: Comment = "\(origin.name) on \(profile.name), \(root.rawValue): \(verdict.findings)"
        #expect(verdict.rule == expected.rule, place)
        let error = trial.appleError(for: verdict, origin)
        #expect(error?.code == expected.appleCode, place)
        #expect(error?.streamErrorCode == expected.streamErrorCode, place)
        #expect(verdict.remedy?.exception == origin.minimalException(on: profile), place)
        let isFailure = verdict.rule?.rawValue.hasPrefix("tls.") ?? false
        #expect(expected.verdict == (verdict.failure == nil ? "allowed" : isFailure ? "failed" : "blocked"), place)
        // A static RSA suite that left the lists is also outside of them.
        let hasLeft = verdict.rule == .forwardSecrecy && !origin.passesWithException(on: profile)
        #expect(verdict.findings.count == (expected.rule == nil ? 0 : hasLeft ? 2 : 1), place)
    }

    @Test("the minimal exception of an origin works on each release that it is predicted for", arguments: systems)
    func excepted(name: String) async throws {
        let profile = try #require(OSProfile.named(name))
        for origin in lab.origins {
            guard let fix = origin.minimalException(on: profile) else { continue }
            let trial = Trial(neighbourhood: neighbourhood, declaration: try Declaration(fix), profile: profile)
            #expect(try await trial.verdict(on: origin)?.rule == nil, "\(origin.name) on \(profile.name)")
        }
    }

    @Test(
        "the predictions hold under NIAP's package, on the last release without its key and the first with it",
        arguments: ["ios26", "ios26.4"])
    func promisedUnderNIAP(name: String) async throws {
        let profile = try #require(OSProfile.named(name))
        let declaration = try Declaration(niap: "FCP_v2.1")
        let trial = Trial(neighbourhood: neighbourhood, declaration: declaration, profile: profile)
        for origin in lab.origins {
            let verdict = try #require(try await trial.verdict(on: origin))
            let expected = origin.expectationUnderNIAP(on: profile)
            #expect(verdict.rule == expected.rule, "\(origin.name) on \(profile.name): \(verdict.findings)")
            let apple = trial.appleError(for: verdict, origin)
            #expect(apple?.code == expected.appleCode, "\(origin.name) on \(profile.name)")
            #expect(apple?.streamErrorCode == expected.streamErrorCode, "\(origin.name) on \(profile.name)")
        }
    }

    @Test("an origin for one suite negotiates that suite")
    func suites() async throws {
        for origin in lab.origins where origin.name.hasPrefix("suite-") {
            let code = UInt16(origin.name.dropFirst(6).prefix(4), radix: 16)
            let facts = try await neighbourhood.visit(origin, .diagnostic).facts
            #expect(facts?.suite.code == code, "\(origin.name)")
        }
    }

    @Test("made-up transparency timestamps are counted")
    func timestamps() async throws {
        let counted = try #require(lab.origin(named: "scts.lab.test"))
        #expect(try await neighbourhood.visit(counted, .diagnostic).facts?.scts == SCTCounts(embedded: 3))
        let none = try #require(lab.origin(named: "sct-none.lab.test"))
        #expect(try await neighbourhood.visit(none, .diagnostic).facts?.scts == SCTCounts())
    }

    @Test(
        "each origin serves its timestamps as documented, and each is verified or refused for its reason",
        arguments: [
            ("any-eku", SCTCounts(embedded: 2), []), ("days399", SCTCounts(embedded: 3), []),
            ("days826", SCTCounts(embedded: 4), []), ("sct-tls", SCTCounts(handshake: 2), []),
            ("sct-staple", SCTCounts(stapled: 2), []), ("sct-one", SCTCounts(embedded: 1), []),
            ("sct-retired", SCTCounts(embedded: 2), []),
            ("sct-forged", SCTCounts(), [SCTRefusal.badSignature]), ("scts", SCTCounts(), [.unknownLog]),
        ] as [(String, SCTCounts, Set<SCTRefusal>)])
    func verified(name: String, counts: SCTCounts, refused: Set<SCTRefusal>) async throws {
        let origin = try #require(lab.origin(named: name + ".lab.test"))
        let facts = try #require(try await neighbourhood.visit(origin, .diagnostic, isListed: true).facts)
        #expect(facts.scts == counts)
        #expect(Set(facts.sctReview?.refused ?? []) == refused)
    }

    @Test("stapled responses have their documented status")
    func staples() async throws {
        for (name, word) in [("good", "good"), ("revoked", "revoked"), ("outdated", "revoked")] {
            let origin = try #require(lab.origin(named: "staple-\(name).lab.test"))
            #expect(try await neighbourhood.visit(origin, .diagnostic).facts?.staple?.status.word == word)
        }
        let other = try #require(lab.origin(named: "good.lab.test"))
        #expect(try await neighbourhood.visit(other, .diagnostic).facts?.staple == nil)
    }

    @Test("the listed public keys of an origin are those that it serves")
    func publicKeys() async throws {
        for name in ["good.lab.test", "good12.lab.test", "p224-issuer.lab.test", "untrusted-root.lab.test"] {
            guard let origin = lab.origin(named: name) else { continue }
            let facts = try #require(try await neighbourhood.visit(origin, .diagnostic).facts)
            #expect(facts.path.map(\.spkiSHA256) == [try #require(origin.leafKey)] + origin.authorityKeys)
        }
        #expect(lab.origin(named: "cleartext.lab.test")?.leafKey == nil)
    }

    @Test("the redirecting origin redirects only / to cleartext")
    func redirects() async throws {
        let origin = try #require(lab.origin(named: "redirect.lab.test"))
        #expect(origin.redirect == "http://cleartext.lab.test/")
        for (path, start) in [("/", "HTTP/1.1 302 Found\r\n"), ("/echo", "HTTP/1.1 200 OK\r\n")] {
            let request = "GET \(path) HTTP/1.1\r\nHost: \(origin.name)\r\nConnection: close\r\n\r\n"
            let visit = try await neighbourhood.visit(origin, .diagnostic, saying: Array(request.utf8))
            let text = String(decoding: visit.answer, as: UTF8.self)
            #expect(text.hasPrefix(start))
            #expect(text.lowercased().contains("\r\nlocation: http://cleartext.lab.test/\r\n") == (path == "/"))
        }
    }

    @Test("the JSON contains the expectation for every profile and root")
    func json() throws {
        let parsed = try JSONSerialization.jsonObject(with: Data(lab.json().utf8))
        let rows = try #require(parsed as? [[String: Any]])
        for (row, origin) in zip(rows, lab.origins) {
            let groups = try #require(row["expectations"] as? [[String: Any]])
            for root in LabRoot.allCases {
                for profile in OSProfile.all {
                    for isListed in [false, true] {
                        let group = groups.first {
                            [root.rawValue, "any"].contains($0["root"] as? String)
                                && [isListed ? "ct-logs" : "none", "any"].contains($0["logs"] as? String)
                                && ($0["profiles"] as? [String] ?? []).contains(profile.name)
                        }
                        let expected = origin.expectation(on: profile, root: root, isListed: isListed)
                        #expect(group?["verdict"] as? String == expected.verdict)
                        #expect(group?["rule"] as? String == expected.rule?.rawValue)
                        #expect((group?["appleError"] as? [String: Any])?["code"] as? Int == expected.appleCode)
                    }
                }
            }
        }
    }
}
