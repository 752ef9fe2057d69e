import ATSPolicy
import Diagnosis
import Dictionaries
import Records
import Testing

@Suite("suggestion of the smallest dictionary")
struct SuggesterTests {
    private func suggest(
        _ loads: [LoadRecord], old: String = "{}", on systems: [OSProfile] = [.iOS26],
        mayAllowArbitraryLoads: Bool = false
    ) throws -> Suggestion {
        var suggester = Suggester(
            old: try PastLoads.declaration(old), switches: JudgeSwitches(), appTrust: .systemOnly,
            mayAllowArbitraryLoads: mayAllowArbitraryLoads)
        for (index, load) in loads.enumerated() {
            for system in systems {
                let id = load.handshake == nil ? nil : Int64(index)
                suggester.add(PastLoads.group(load, on: system, handshake: id))
            }
        }
        return suggester.suggestion()
    }

    @Test("loads that pass need no key and get none")
    func nothing() throws {
        let suggestion = try suggest([PastLoads.good("a.test"), PastLoads.expired("b.test")])
        #expect(suggestion.keys.members.isEmpty)
        #expect(suggestion.unfixable.map(\.host) == ["b.test"])
        #expect(suggestion.unfixable.first?.server.first?.hasPrefix("Renew") == true)
        #expect(suggestion.passing == 1)
    }

    @Test("the use of a web content key counts web loads, and the loads that need it to turn another grant off")
    func webContent() throws {
        let text = #"{"NSAllowsArbitraryLoads": true, "NSAllowsArbitraryLoadsInWebContent": true}"#
        var web = PastLoads.cleartext("web.test")
        web.client = RecordedClient(address: "", label: nil, userAgent: nil, loader: .web, os: "ios26")
        let loads = [PastLoads.good("a.test"), PastLoads.cleartext("app.test"), web]
        let use = try use(of: text, by: loads)
        let parts = Dictionary(uniqueKeysWithValues: use.parts.map { ($0.name, $0) })
        #expect(parts["NSAllowsArbitraryLoads"]?.served == 3)
        #expect(parts["NSAllowsArbitraryLoadsInWebContent"]?.served == 1)
        #expect(parts["NSAllowsArbitraryLoadsInWebContent"]?.needed == 1)
    }

    @Test("a key that loads may need is neither unused nor needed by 0 loads")
    func unknownUse() throws {
        let text = #"{"NSExceptionDomains": {"a.test": {"NSExceptionRequiresForwardSecrecy": false}}}"#
        let part = try #require(try use(of: text, by: [PastLoads.staticRSAByChoice("a.test")]).parts.first)
        #expect(part.neededWords == "unknown" && part.needed == 0 && part.undecided == 1 && !part.isUnused)
        #expect(try suggest([PastLoads.staticRSAByChoice("a.test")], old: text).unused.isEmpty)
    }

    @Test("each host gets the least exception: forward secrecy, then the version, then cleartext")
    func least() throws {
        let loads = [PastLoads.staticRSA("a.test"), PastLoads.old("b.test"), PastLoads.cleartext("c.test")]
        let suggestion = try suggest(loads, on: [.iOS18_4])
        #expect(suggestion.keys.entries["a.test"] == keys { $0.givesUpForwardSecrecy = true })
        #expect(suggestion.keys.entries["b.test"] == keys { $0.minimumTLS = .tls11 })
        #expect(suggestion.keys.entries["c.test"] == keys { $0.allowsInsecureHTTPLoads = true })
        #expect(suggestion.entries.map(\.lost) == [1, 1, 1])
        #expect(suggestion.entries.map(\.rule) == [.forwardSecrecy, .tlsVersion, .cleartextLoad])
        // On a release without TLS 1.1 the same dictionary does not help, which is reported.
        let both = try suggest(loads, on: [.iOS18_4, .iOS26])
        #expect(both.keys == suggestion.keys)
        #expect(both.unfixable.map(\.os) == ["ios26"])
    }

    @Test("an entry is for one host, unless four hosts with the same need share a parent of their own")
    func families() throws {
        let names = ["a.cdn.test", "b.cdn.test", "c.cdn.test", "d.cdn.test"]
        let three = try suggest(names.prefix(3).map(PastLoads.cleartext))
        #expect(three.keys.entries.keys.sorted() == Array(names.prefix(3)))
        let four = try suggest(names.map(PastLoads.cleartext))
        #expect(
            four.keys.entries == [
                "cdn.test": keys {
                    $0.includesSubdomains = true
                    $0.allowsInsecureHTTPLoads = true
                }
            ])
        #expect(four.entries.map(\.lost) == [4])
        // An entry for the parent would weaken a host that needs no exception.
        let mixed = try suggest(names.map(PastLoads.cleartext) + [PastLoads.good("api.cdn.test")])
        #expect(mixed.keys.entries.keys.sorted() == names)
        // co.uk is shared by unrelated owners.
        let shared = try suggest(names.map { PastLoads.cleartext(String($0.prefix(1)) + ".co.uk") })
        #expect(shared.keys.entries.count == 4)
    }

    @Test("addresses get entries on releases that support them, and a range from four on")
    func addresses() throws {
        let addresses = (1...4).map { "203.0.113.\($0)" }
        #expect(try suggest([PastLoads.cleartext(addresses[0])]).keys.entries.keys.sorted() == [addresses[0]])
        #expect(try suggest(addresses.map(PastLoads.cleartext)).keys.entries.keys.sorted() == ["203.0.113.0/24"])
        let old = try suggest([PastLoads.cleartext(addresses[0])], on: [.iOS9])
        #expect(old.keys.entries.isEmpty)
        #expect(old.unfixable.map(\.host) == [addresses[0]])
    }

    @Test("for local hosts NSAllowsLocalNetworking is suggested, which allows no other host")
    func local() throws {
        let suggestion = try suggest([PastLoads.cleartext("192.168.1.20")], on: [.iOS17])
        #expect(suggestion.keys.allowsLocalNetworking)
        #expect(suggestion.keys.entries.isEmpty)
        #expect(suggestion.entries.map(\.name) == [ATSKey.localNetworking])
        #expect(suggestion.entries.map(\.lost) == [1])
    }

    @Test("NSAllowsArbitraryLoads is suggested only as a last resort, and only if it helps")
    func lastResort() throws {
        let load = PastLoads.cleartext("203.0.113.1")
        #expect(try !suggest([load], on: [.iOS9]).keys.allowsArbitraryLoads)
        let resort = try suggest([load, PastLoads.cleartext("a.test")], on: [.iOS9], mayAllowArbitraryLoads: true)
        #expect(resort.keys.allowsArbitraryLoads)
        #expect(resort.keys.entries.isEmpty)
        #expect(try !suggest([PastLoads.cleartext("a.test")], mayAllowArbitraryLoads: true).keys.allowsArbitraryLoads)
        #expect(try !suggest([PastLoads.expired("a.test")], mayAllowArbitraryLoads: true).keys.allowsArbitraryLoads)
    }

    @Test("an entry that may not be needed has the reason for the doubt")
    func doubt() throws {
        let suggestion = try suggest([PastLoads.staticRSAByChoice("a.test")])
        #expect(suggestion.keys.entries["a.test"] == keys { $0.givesUpForwardSecrecy = true })
        #expect(suggestion.entries.first?.doubt?.why?.contains("TLS_RSA") == true)
        #expect(try suggest([PastLoads.staticRSA("a.test")]).entries.first?.doubt == nil)
    }

    @Test("unused entries of the old dictionary are listed; keys that make ATS stricter are kept or listed")
    func old() throws {
        let old = #"""
            {"NSAllowsArbitraryLoads":true,"NSRequiresNIAPTLSPackageVersion":"FCP_v2.1","NSExceptionDomains":{
            "a.test":{"NSExceptionAllowsInsecureHTTPLoads":true},"gone.test":{"NSIncludesSubdomains":true},
            "c.test":{"NSExceptionMinimumTLSVersion":"TLSv1.3"}}}
            """#
        let suggestion = try suggest([PastLoads.cleartext("a.test"), PastLoads.good("c.test")], old: old)
        #expect(suggestion.unused.map(\.entry) == ["NSAllowsArbitraryLoads", "gone.test"])
        #expect(suggestion.kept == ["c.test"])
        #expect(suggestion.keys.members.map(\.key) == [ATSKey.exceptionDomains, ATSKey.niapVersion])
        #expect(suggestion.keys.members.keys(of: ATSKey.exceptionDomains)?.map(\.key) == ["a.test", "c.test"])
    }

    @Test("NSAllowsArbitraryLoads is a row: the hosts that need it, unknown loads, or that no load does")
    func arbitraryLoads() throws {
        let old =
            #"{"NSAllowsArbitraryLoads":true,"NSExceptionDomains":{"b.test":{"NSExceptionAllowsInsecureHTTPLoads":true}}}"#
        func text(_ loads: [LoadRecord]) throws -> String {
            let suggestion = try suggest(loads, old: old)
            #expect(Set(suggestion.entries.map(\.name)).isDisjoint(with: suggestion.unused.map(\.entry)))
            return SuggestionWords(suggestion, old: try PastLoads.declaration(old), recording: nil).text
        }
        let needed = try text([PastLoads.cleartext("a.test"), PastLoads.cleartext("b.test")])
        #expect(needed.contains("\nREPLACED\n  NSAllowsArbitraryLoads: needed by: a.test\n"))
        let unknown = try text([PastLoads.staticRSAByChoice("a.test")])
        #expect(unknown.contains("\nREPLACED\n  NSAllowsArbitraryLoads: unknown for 1 load\n"))
        #expect(try text([PastLoads.good("a.test")]).contains("NSAllowsArbitraryLoads: its loads have the same result"))
    }

    @Test("beyond the entries that loads need, the suggestion permits nothing that was refused", arguments: 0..<150)
    func neverMoreLenient(round: UInt64) throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        var dictionaries = RandomDictionary(seed: seed)
        let old = dictionaries.next()
        let system = [OSProfile.iOS17, .iOS18_4, .iOS26][Int(round % 3)]
        let hosts = RulingTable.hosts(of: old).sorted()
        let kinds = [PastLoads.cleartext, PastLoads.staticRSA, PastLoads.old, PastLoads.good]
        let recorded = hosts.filter { _ in dictionaries.chance(2) }.map { host in
            (kinds.first { _ in dictionaries.chance(3) } ?? PastLoads.good)(host)
        }
        var suggester = Suggester(
            old: old, switches: JudgeSwitches(), appTrust: .systemOnly, mayAllowArbitraryLoads: false)
        for (place, load) in recorded.enumerated() {
            suggester.add(PastLoads.group(load, on: system, handshake: Int64(place)))
        }
        let suggestion = suggester.suggestion()
        let before = Judge(declaration: old, profile: system)
        let after = Judge(
            declaration: Declaration.secureDefaults.with(suggestion.keys.members), profile: system)
        for host in hosts where !recorded.isEmpty {
            for target in [
                LoadTarget(scheme: .http, host: host, port: 80), .init(scheme: .https, host: host, port: 443),
            ] {
                for loader in Loader.allCases {
                    let now = after.rule(on: target, loader: loader)
                    let isNeeded = suggestion.entries.contains {
                        $0.name == now.basis.entry || now.basis.keyPath?.hasSuffix("." + $0.name) == true
                    }
                    let isLooser = now.isLooser(than: before.rule(on: target, loader: loader))
                    #expect(
                        !isLooser || isNeeded,
                        "seed \(seed), round \(round): \(target.origin) \(PropertyListText.document(old.members))")
                }
            }
        }
    }

    @Test("an old entry stays if it is stricter for hosts below it, which the suggested entry would not cover")
    func guardOfSubdomains() throws {
        let old = #"""
            {"NSExceptionDomains": {"example.com": {"NSIncludesSubdomains": true,
              "NSExceptionAllowsInsecureHTTPLoads": true, "NSExceptionMinimumTLSVersion": "TLSv1.3"}}}
            """#
        let suggestion = try suggest([PastLoads.cleartext("example.com")], old: old)
        #expect(suggestion.kept == ["example.com"] && suggestion.entries.isEmpty && suggestion.passing == 1)
        let after = Judge(declaration: Declaration.secureDefaults.with(suggestion.keys.members), profile: .iOS26)
        let ruling = after.rule(on: PastLoads.url("https://x.example.com"), loader: .app)
        guard case .permit(let permit) = ruling else { return #expect(Bool(false)) }
        #expect(permit.demands?.minimumTLS == .tls13)
    }

    @Test("the property list reads back as the suggested dictionary, and the diff is from the old one to it")
    func output() throws {
        let old = #"{"NSExceptionDomains":{"b&c.test":{"NSIncludesSubdomains":true}}}"#
        let suggestion = try suggest([PastLoads.cleartext("a.test")], old: old)
        let words = SuggestionWords(suggestion, old: try PastLoads.declaration(old), recording: nil)
        let judge = Judge(declaration: try PastLoads.declaration(words.plist), profile: .iOS26)
        guard case .permit = judge.rule(on: PastLoads.url("http://a.test"), loader: .app) else {
            return #expect(Bool(false))
        }
        #expect(words.diff.hasPrefix("--- Old.json\n+++ suggested\n@@ -1,"))
        #expect(words.diff.contains("\n-\t\t\t<key>b&amp;c.test</key>\n"))
        #expect(words.diff.contains("\n+\t\t\t<key>a.test</key>\n"))
        #expect(words.json.contains(#""dictionary":{"NSExceptionDomains":{"a.test":"#))
        #expect(words.text.contains("b&c.test: no load used it"))
        let same = try suggest([PastLoads.good("a.test")])
        #expect(SuggestionWords(same, old: try PastLoads.declaration("{}"), recording: nil).diff.isEmpty)
    }

    private func use(of text: String, by loads: [LoadRecord]) throws -> DictionaryUse {
        DictionaryUse(
            try PastLoads.declaration(text), loads: loads.map { PastLoads.group($0, on: .iOS26, handshake: nil) },
            switches: JudgeSwitches())
    }

    private func keys(_ change: (inout EntryKeys) -> Void) -> EntryKeys {
        var keys = EntryKeys()
        change(&keys)
        return keys
    }
}
