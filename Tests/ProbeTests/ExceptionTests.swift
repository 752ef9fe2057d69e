import ATSPolicy
import Dictionaries
import Lab
import Probe
import Testing

@Suite(.timeLimit(.minutes(2)))
struct ExceptionTests {
    private typealias Need = ExceptionNeed.Need

    private static let insecure = ("NSExceptionAllowsInsecureHTTPLoads", ExceptionFix.Value.flag(true))
    private static let withoutPFS = ("NSExceptionRequiresForwardSecrecy", ExceptionFix.Value.flag(false))

    private static func minimum(_ version: String) -> (String, ExceptionFix.Value) {
        ("NSExceptionMinimumTLSVersion", .text(version))
    }

    /// Each entry with the need that the review must find on iOS 17.
    private static let entries: [(String, [(String, ExceptionFix.Value)], ExceptionNeed.Need)] = [
        ("rsa-kx.lab.test", [withoutPFS], .yes),
        ("good.lab.test", [withoutPFS], .no),
        ("good12.lab.test", [insecure, withoutPFS], .no),
        ("cleartext.lab.test", [insecure], .yes),
        ("tls10.lab.test", [minimum("TLSv1.0")], .yes),
        ("tls11.lab.test", [minimum("TLSv1.1"), withoutPFS], .partly),
        ("expired.lab.test", [insecure], .no),
        ("other.test", [("NSIncludesSubdomains", .flag(true)), withoutPFS], .unknown),
        ("10.0.0.0/8", [insecure], .unknown),
        ("sha1.lab.test", [minimum("TLSv1.3")], .yes),
        ("closes.lab.test", [withoutPFS], .no),
    ]

    private func declaration() -> Declaration {
        let declaration = Self.entries.reduce(Declaration.secureDefaults) { declaration, entry in
            let settings = entry.1.map { ExceptionFix.Setting($0.0, $0.1) }
            return declaration.adding(ExceptionFix(domain: entry.0, settings: settings))
        }
        let odd = PropertyMember(key: "odd.lab.test", node: PropertyNode(.boolean(true)))
        let members = PropertyNode(.dictionary(declaration.entries + [odd]))
        return declaration.with([PropertyMember(key: ATSKey.exceptionDomains, node: members)])
    }

    @Test("a review of twelve entries finds the needed ones, and removes the rest")
    func twelve() async throws {
        let bench = try ProbeBench(try SharedLabs.basic.get())
        let profile = try #require(OSProfile.named("ios17"))
        let review = await bench.prober.review(Judge(declaration: declaration(), profile: profile))
        let expected = Self.entries.map { [$0.0, $0.2.rawValue] } + [["odd.lab.test", "no"]]
        #expect(review.needs.map { [$0.entry, $0.needed.rawValue] } == expected)
        let left = [
            "rsa-kx.lab.test", "cleartext.lab.test", "tls10.lab.test", "tls11.lab.test", "other.test",
            "10.0.0.0/8", "sha1.lab.test",
        ]
        #expect(review.cleaned.entries.map(\.key) == left)
        #expect(
            review.cleaned.entries[3].node.value
                == .dictionary([
                    PropertyMember(key: "NSExceptionMinimumTLSVersion", node: PropertyNode(.string("TLSv1.1")))
                ]))
        #expect(review.needs[5].needless == ["NSExceptionRequiresForwardSecrecy"])
        #expect(review.needs[2].why.contains("load it over https"))
        #expect(review.propertyList.contains("<key>rsa-kx.lab.test</key>"))
        #expect(review.propertyList.contains("<!-- good.lab.test: removed, "))
    }

    @Test("an entry for a parent domain is tested with the app's known hosts below it")
    func subdomains() async throws {
        let bench = try ProbeBench(try SharedLabs.basic.get())
        let fix = ExceptionFix(
            domain: "lab.test",
            settings: [
                .init("NSIncludesSubdomains", .flag(true)), .init("NSExceptionRequiresForwardSecrecy", .flag(false)),
            ])
        let judge = Judge(declaration: Declaration.secureDefaults.adding(fix), profile: .newest)
        let known = try ["rsa-kx.lab.test", "good.lab.test"].map { try ProbeTarget($0).target }
        let review = await bench.prober.review(judge, known: known)
        #expect(review.needs.map(\.needed) == [.yes])
        #expect(review.needs[0].why == "rsa-kx.lab.test fails without it: ats.forward-secrecy")
    }

    @Test("an entry whose host is also covered by another entry is not needed, and the reason names the other")
    func shadowed() async throws {
        let bench = try ProbeBench(try SharedLabs.basic.get())
        let withoutPFS = ExceptionFix.Setting("NSExceptionRequiresForwardSecrecy", .flag(false))
        let declaration = Declaration.secureDefaults
            .adding(ExceptionFix(domain: "rsa-kx.lab.test", settings: [withoutPFS]))
            .adding(
                ExceptionFix(domain: "lab.test", settings: [.init("NSIncludesSubdomains", .flag(true)), withoutPFS]))
        let review = await bench.prober.review(Judge(declaration: declaration, profile: .newest))
        #expect(review.needs.map(\.needed) == [.no, .yes])
        #expect(review.needs[0].why == "rsa-kx.lab.test is allowed over https without it, through the entry lab.test")
    }

    @Test("the exception of a parent's entry that lacks only NSIncludesSubdomains is proposed first, and can be pasted")
    func nearMiss() async throws {
        let bench = try ProbeBench(try SharedLabs.basic.get())
        let fix = ExceptionFix(
            domain: "lab.test", settings: [.init("NSExceptionRequiresForwardSecrecy", .flag(false))])
        let judge = Judge(declaration: Declaration.secureDefaults.adding(fix), profile: .newest)
        let result = await bench.prober.probe(try ProbeTarget("rsa-kx.lab.test"), by: judge)
        #expect(result.exception?.domain == "lab.test")
        #expect(result.exception?.settings == [.init("NSIncludesSubdomains", .flag(true))])
        #expect(result.proof == "a second handshake with it succeeds")
        #expect(result.words(ProbeStyle(isVerbose: true)).contains("<key>NSIncludesSubdomains</key>"))
        #expect(
            result.words(ProbeStyle(showsCommands: true)).contains("Add :NSAppTransportSecurity:NSExceptionDomains:"))
        let expired = await bench.prober.probe(try ProbeTarget("expired.lab.test"), by: judge)
        #expect(expired.exception == nil && expired.toPaste == nil)
    }

    @Test("an entry is tested as if NSAllowsArbitraryLoads were absent")
    func arbitraryLoads() async throws {
        let bench = try ProbeBench(try SharedLabs.basic.get())
        let fix = ExceptionFix(
            domain: "rsa-kx.lab.test", settings: [.init("NSExceptionRequiresForwardSecrecy", .flag(false))])
        let arbitrary = PropertyMember(key: ATSKey.arbitraryLoads, node: PropertyNode(.boolean(true)))
        let judge = Judge(declaration: Declaration.secureDefaults.with([arbitrary]).adding(fix), profile: .newest)
        let alone = await bench.prober.review(judge)
        #expect(alone.needs.map(\.entry) == ["NSAllowsArbitraryLoads", "rsa-kx.lab.test"])
        #expect(alone.needs.map(\.needed) == [.unknown, .yes])
        #expect(alone.isUncertain && !alone.canBeReduced)
    }

    @Test("NSAllowsArbitraryLoads is a row that names the hosts that need it, and removed if no named host does")
    func arbitraryLoadsOfHosts() async throws {
        let bench = try ProbeBench(try SharedLabs.basic.get())
        let arbitrary = PropertyMember(key: ATSKey.arbitraryLoads, node: PropertyNode(.boolean(true)))
        let judge = Judge(declaration: Declaration.secureDefaults.with([arbitrary]), profile: .newest)
        let known = try ["good.lab.test", "rsa-kx.lab.test", "http://cleartext.lab.test"].map {
            try ProbeTarget($0).target
        }
        let needed = await bench.prober.review(judge, known: known)
        #expect(needed.needs.map(\.why) == ["needed by: https://rsa-kx.lab.test, http://cleartext.lab.test"])
        #expect(needed.cleaned.members == [arbitrary])
        let free = await bench.prober.review(judge, known: Array(known.prefix(1)))
        #expect(free.needs.map(\.needed) == [.no] && free.cleaned.members.isEmpty && free.canBeReduced)
    }

    @Test("an entry that keeps ATS on stays without its keys, next to NSAllowsArbitraryLoads and under a wider entry")
    func guarding() async throws {
        let bench = try ProbeBench(try SharedLabs.basic.get())
        let arbitrary = PropertyMember(key: ATSKey.arbitraryLoads, node: PropertyNode(.boolean(true)))
        let weak = ExceptionFix.Setting("NSExceptionRequiresForwardSecrecy", .flag(false))
        let fix = ExceptionFix(domain: "good.lab.test", settings: [weak])
        let open = Judge(declaration: Declaration.secureDefaults.with([arbitrary]).adding(fix), profile: .newest)
        let kept = await bench.prober.review(open)
        #expect(kept.needs.map(\.needed) == [.unknown, .partly])
        #expect(kept.needs.last?.needless == ["NSExceptionRequiresForwardSecrecy"])
        #expect(kept.cleaned.entries == [PropertyMember(key: "good.lab.test", node: PropertyNode(.dictionary([])))])
        let wide = ExceptionFix(
            domain: "lab.test",
            settings: [
                .init("NSIncludesSubdomains", .flag(true)), .init("NSExceptionAllowsInsecureHTTPLoads", .flag(true)),
            ])
        let below = Judge(declaration: Declaration.secureDefaults.adding(fix).adding(wide), profile: .newest)
        let review = await bench.prober.review(below)
        #expect(review.needs.first?.needed == .partly)
        #expect(review.needs.first?.why.hasPrefix("the entry makes ATS stricter for its hosts; ") == true)
    }

    @Test("no load that was refused before is permitted by the cleaned dictionary, for random dictionaries and loads")
    func neverMoreLenient() async throws {
        let bench = try ProbeBench(try SharedLabs.basic.get())
        let names = ["good", "good12", "rsa-kx", "tls10", "tls11", "cleartext", "expired", "closes"]
        let hosts = names.map { "\($0).lab.test" }
        let seed = UInt64.random(in: 0...UInt64.max)
        var dictionaries = RandomDictionary(seed: seed, hosts: hosts + ["lab.test"])
        let loads = hosts.flatMap { host in
            [LoadTarget.Scheme.http, .https].map { LoadTarget(scheme: $0, host: host, port: $0.defaultPort) }
        }
        var removed = 0
        for round in 0..<100 {
            let declaration = dictionaries.next()
            let profile = [OSProfile.iOS17, .newest][round % 2]
            let judge = Judge(declaration: declaration, profile: profile)
            let known = loads.filter { _ in round % 3 != 0 }
            let review = await bench.prober.review(judge, known: known)
            let cleaned = Judge(declaration: review.cleaned, profile: profile)
            if review.cleaned != declaration { removed += 1 }
            for load in loads {
                let now = await bench.prober.probe(ProbeTarget(load), by: cleaned, seeksException: false)
                guard now.verdict == .pass else { continue }
                let before = await bench.prober.probe(ProbeTarget(load), by: judge, seeksException: false)
                #expect(before.verdict == .pass, "seed \(seed), round \(round): \(load.origin) \(review.propertyList)")
            }
        }
        #expect(removed > 0)
    }
}
