import ATSPolicy
import Declarations
import Diagnosis
import Dictionaries
import Testing

@Suite("the exception that a record keeps")
struct NearMissTests {
    private static let insecure = [ExceptionFix.Setting(ATSKey.insecureHTTP, .flag(true))]
    private static let noForwardSecrecy = [ExceptionFix.Setting(ATSKey.forwardSecrecy, .flag(false))]

    private func preferred(
        _ json: String, _ scheme: LoadTarget.Scheme, _ settings: [ExceptionFix.Setting]
    ) throws
        -> ExceptionFix
    {
        let host = "sub.example.com"
        let judge = Judge(
            declaration: try DeclarationReader.parse(Array(json.utf8), source: "a.json"), profile: .newest)
        return judge.preferred(
            ExceptionFix(domain: host, settings: settings),
            for: LoadTarget(scheme: scheme, host: host, port: scheme.defaultPort))
    }

    private func entries(_ entries: String) -> String { #"{"NSExceptionDomains": {\#(entries)}}"# }

    @Test("an entry for a parent that lacks only NSIncludesSubdomains is widened, for http and for https")
    func widened() throws {
        let http = entries(#""example.com": {"NSExceptionAllowsInsecureHTTPLoads": true}"#)
        let near = try preferred(http, .http, Self.insecure)
        #expect(near.domain == "example.com" && near.settings.map(\.key) == [ATSKey.includesSubdomains])
        let https = entries(#""example.com": {"NSExceptionRequiresForwardSecrecy": false}"#)
        #expect(try preferred(https, .https, Self.noForwardSecrecy).domain == "example.com")
    }

    @Test(
        "an entry of the host's own is kept if the parent's would not allow the load, or is not the nearest",
        arguments: [
            #""example.com": {"NSExceptionRequiresForwardSecrecy": true}"#,
            #""example.com": {"NSExceptionRequiresForwardSecrecy": false, "NSExceptionMinimumTLSVersion": "TLSv1.3"}"#,
            #""example.com": {"NSIncludesSubdomains": true, "NSExceptionRequiresForwardSecrecy": true}"#,
            """
            "example.com": {"NSExceptionRequiresForwardSecrecy": false}, \
            "sub.example.com": {"NSExceptionAllowsInsecureHTTPLoads": true}
            """,
        ])
    func own(text: String) throws {
        #expect(try preferred(entries(text), .https, Self.noForwardSecrecy).domain == "sub.example.com")
    }

    @Test(
        "the exception that a record keeps allows the load, under random dictionaries",
        arguments: ["ios9", "ios17", "ios27"])
    func property(name: String) throws {
        let system = try #require(OSProfile.named(name))
        let seed = UInt64.random(in: 0...UInt64.max)
        var dictionaries = RandomDictionary(seed: seed)
        var (tried, widened) = (0, 0)
        for _ in 0..<200 {
            let declaration = dictionaries.next()
            let judge = Judge(declaration: declaration, profile: system)
            let hosts = RulingTable.hosts(of: declaration)
            for host in (hosts + hosts.map { "sub." + $0 }).prefix(30) {
                let target = LoadTarget(scheme: .http, host: host, port: 80)
                guard case .denial(let denial) = judge.rule(on: target, loader: .app), target.address == nil,
                    let fix = RuleBook.standard.judge(denial, profile: judge.profile).remedy?.exception
                else { continue }
                let kept = judge.preferred(fix, for: target)
                let changed = Judge(declaration: declaration.adding(kept), profile: system)
                guard case .permit = changed.rule(on: target, loader: .app) else {
                    Issue.record("seed \(seed): \(host) is still blocked with \(kept.sentence)")
                    return
                }
                tried += 1
                if kept.settings.map(\.key) == [ATSKey.includesSubdomains] { widened += 1 }
            }
        }
        #expect(tried > 0 && widened > 0, "seed \(seed)")
    }
}
