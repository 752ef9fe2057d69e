import ATSPolicy
import Declarations
import Diagnosis
import Dictionaries
import Testing

@Suite("entries to paste")
struct EntryToPasteTests {
    private func declaration(_ json: String) throws -> Declaration {
        try DeclarationReader.parse(Array(json.utf8), source: "a.json")
    }

    private func explain(_ url: String, _ json: String, on system: OSProfile = .newest) throws -> Explanation {
        try Explanation(
            url: url, judge: Judge(declaration: declaration(json), profile: system), loader: .app)
    }

    @Test("the XML of a fix is a dictionary that allows the load", arguments: ["a.example.com", "203.0.113.7"])
    func readsBack(host: String) throws {
        let toPaste = try #require(try explain("http://\(host)/", "{}").toPaste.first)
        let text = "<plist><dict>\(toPaste.xml.joined(separator: "\n"))</dict></plist>"
        #expect(try explain("http://\(host)/", text).isPermitted)
        #expect(
            try explain("http://\(host)/", "{}").words().contains("  plist      <key>NSAppTransportSecurity</key>\n"))
    }

    @Test("commands add keys that are absent and set those that are present, with colons of a host escaped")
    func commands() throws {
        let domain = "/usr/libexec/PlistBuddy -c 'Add :NSAppTransportSecurity:NSExceptionDomains:"
        let plain = try explain("http://a.com/", "{}")
        #expect(
            plain.toPaste.first?.plistBuddy == [
                domain + "a.com:NSExceptionAllowsInsecureHTTPLoads bool true' Info.plist"
            ])
        #expect(plain.words(asCommands: true).contains("  commands   /usr/libexec/PlistBuddy -c 'Add :"))
        let present = #"{"NSExceptionDomains": {"a.com": {"NSExceptionAllowsInsecureHTTPLoads": false}}}"#
        #expect(try explain("http://a.com/", present).toPaste.first?.plistBuddy.first?.contains("-c 'Set :") == true)
        #expect(
            try explain("http://[2001:db8::1]/", "{}").toPaste.first?.plistBuddy.first?.contains(#":2001\:db8\:\:1:"#)
                == true
        )
    }

    @Test("an entry for the parent without NSIncludesSubdomains is the first fix, if it would allow the load")
    func nearMiss() throws {
        let json = #"{"NSExceptionDomains": {"example.com": {"NSExceptionAllowsInsecureHTTPLoads": true}}}"#
        let near = try explain("http://sub.example.com/", json)
        #expect(near.fixes.contains { $0.contains("NSIncludesSubdomains to true in the entry example.com") })
        #expect(near.toPaste.count == 2)
        #expect(near.toPaste.first?.plistBuddy.first?.contains(":example.com:NSIncludesSubdomains bool true") == true)
        let other = #"{"NSExceptionDomains": {"example.com": {"NSExceptionRequiresForwardSecrecy": false}}}"#
        #expect(
            try explain("http://sub.example.com/", other).toPaste.first?.plistBuddy.first?.contains(":sub.example")
                == true)
        #expect(try declaration(json).nearMisses(for: "example.com").isEmpty)
        #expect(try declaration(json).nearMisses(for: "a.b.example.com").map(\.domain) == ["example.com"])
    }

    @Test("a permitted load, and one that no entry allows, have none")
    func none() throws {
        #expect(try explain("https://a.com/", "{}").toPaste.isEmpty)
        #expect(try explain("http://203.0.113.7/", "{}", on: .iOS9).toPaste.isEmpty)
    }

    @Test("the host's own entry keeps the settings of the entry that covered the host")
    func keptSettings() throws {
        let json = """
            {"NSExceptionDomains": {"example.com": {"NSIncludesSubdomains": true,
             "NSExceptionRequiresForwardSecrecy": false}}}
            """
        let own = try #require(try explain("http://sub.example.com/", json).options.last)
        #expect(own.fix.domain == "sub.example.com" && own.widened == nil)
        #expect(own.fix.settings.map(\.key) == [ATSKey.forwardSecrecy, ATSKey.insecureHTTP])
    }

    /// Every pasted text is merged into the dictionary as a person would do it.
    @Test(
        "a pasted entry lets the load pass, and no other host's ruling changes", arguments: ["ios9", "ios17", "ios26"])
    func property(name: String) throws {
        let system = try #require(OSProfile.named(name))
        let seed = UInt64.random(in: 0...UInt64.max)
        var dictionaries = RandomDictionary(seed: seed)
        var pasted = 0
        for _ in 0..<150 {
            let declaration = dictionaries.next()
            let judge = Judge(declaration: declaration, profile: system)
            for host in RulingTable.hosts(of: declaration).prefix(20) {
                let target = LoadTarget(scheme: .http, host: host, port: 80)
                guard case .denial = judge.rule(on: target, loader: .app) else { continue }
                let settings = [ExceptionFix.Setting(ATSKey.insecureHTTP, .flag(true))]
                for option in ExceptionOption.all(for: target, settings: settings, judge: judge, loader: .app) {
                    let xml = EntryToPaste(option.fix, in: declaration).xml.joined(separator: "\n")
                    let merged = try merged(xml, into: declaration)
                    let changed = Judge(declaration: merged, profile: system)
                    guard case .permit = changed.rule(on: target, loader: .app) else {
                        Issue.record("seed \(seed): \(host) is still blocked with \(xml)")
                        return
                    }
                    pasted += 1
                    let others = RulingTable.hosts(of: declaration).filter { other in
                        !isSame(other, host)
                            && !(option.widened.map { other == $0 || other.hasSuffix("." + $0) } ?? false)
                            && !other.hasSuffix("." + host)
                    }
                    let before = RulingTable(declaration, on: system, hosts: others)
                    let differences = before.differences(to: RulingTable(merged, on: system, hosts: others))
                    guard differences.isEmpty else {
                        Issue.record("seed \(seed): \(host) changes \(differences.prefix(2)) with \(xml)")
                        return
                    }
                }
            }
        }
        #expect(pasted > 0)
    }

    /// True for two spellings of a host.
    private func isSame(_ one: String, _ other: String) -> Bool {
        let (first, second) = (
            LoadTarget(scheme: .http, host: one, port: 80), LoadTarget(scheme: .http, host: other, port: 80)
        )
        func name(_ host: String) -> String {
            host.last == "." ? String(host.dropLast()).lowercased() : host.lowercased()
        }
        return name(one) == name(other) || (first.address != nil && first.address == second.address)
    }

    private func merged(_ xml: String, into declaration: Declaration) throws -> Declaration {
        let text = try DeclarationReader.parse(Array(xml.utf8), source: "-")
        return text.entries.reduce(declaration) { merged, entry in
            guard case .dictionary(let keys) = entry.node.value else { return merged }
            let settings = keys.compactMap { key -> ExceptionFix.Setting? in
                switch key.node.value {
                case .boolean(let flag): .init(key.key, .flag(flag))
                case .string(let text): .init(key.key, .text(text))
                default: nil
                }
            }
            return merged.adding(ExceptionFix(domain: entry.key, settings: settings))
        }
    }
}
