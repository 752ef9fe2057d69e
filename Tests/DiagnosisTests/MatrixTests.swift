import ATSPolicy
import Diagnosis
import Testing

/// `explain --all-os`. Source of the expected rulings: Apple, NSAllowsLocalNetworking; Security,
/// SecProtocolConfigurationTest.m; docs/law/addresses.md#by-release, docs/law/addresses.md#local-networking-key,
/// docs/law/addresses.md#direct.
struct MatrixTests {
    private func matrix(_ url: String, _ declaration: Declaration = .secureDefaults) throws -> OSMatrix {
        try OSMatrix(
            url: url, declaration: declaration, switches: JudgeSwitches(), loader: .app,
            problems: Linter().lint(declaration).problems)
    }

    @Test(
        "local hosts match the columns of docs/law/addresses.md#by-release, twins included",
        arguments: [
            ("http://localhost/", "-++++++"), ("http://printer/", "-++++++"), ("http://tv.local/", "-++++++"),
            ("http://10.0.0.5/", "-+-++++"), ("http://100.64.1.2/", "-+-----"), ("http://203.0.113.9/", "-+-----"),
        ])
    func columns(url: String, answers: String) throws {
        let rows = try matrix(url).rows
        #expect(rows.map(\.explanation.profile) == OSProfile.all)
        #expect(rows.map { $0.explanation.isPermitted ? "+" : "-" }.joined() == answers.map { "\($0)\($0)" }.joined())
    }

    @Test("only changed rows are marked, each with its reason")
    func reasons() throws {
        let rows = try matrix("http://10.0.0.5/").rows
        #expect(rows.filter(\.isChanged).map(\.explanation.profile.name) == ["ios10", "ios17", "ios18.4"])
        #expect(rows.allSatisfy { $0.isChanged == !$0.reasons.isEmpty })
        #expect(rows[4].reasons == [OSProfile.iOS17.sentence(on: .localRule)])
        let secure = try matrix("https://example.com/").rows.filter(\.isChanged)
        #expect(secure.map(\.explanation.profile.name) == ["ios17"])
        #expect(secure[0].reasons.contains { $0.contains("TLS up to 1.3") })
        let apple = try matrix("http://x.apple.com/").rows.filter(\.isChanged)
        #expect(
            apple.map(\.reasons) == [["Apple's own exceptions are registered (docs/law/keys.md#built-in-exceptions)"]])
    }

    @Test("if sources disagree, the row names the switch")
    func disputes() throws {
        let words = try matrix("http://10.0.0.5/").words
        #expect(words.contains("  * ios17       blocked  no key of the dictionary covers this host"))
        #expect(words.contains("disputed: With --reading strict-ip=off the load is allowed (C2)."))
        #expect(words.contains("disputed: With --reading strict-ip=on the load is blocked (C2)."))
        let shared = try matrix("http://100.64.1.2/").words
        #expect(shared.contains("With --reading local-nets=default,100.64.0.0/10 the load is allowed (C2)."))
        let secure = try matrix("https://b.com/").words
        #expect(
            secure.contains(
                "disputed: With --reading certificate-scope=leaf (C5) or --reading suite-list=documented (C6) the TLS"))
        #expect(try !matrix("http://203.0.113.9/").words.contains("disputed"))
        let local = try matrix("http://printer/").words
        #expect(local.contains("disputed: With --reading local-names=ask the load is blocked (C16)."))
        #expect(try !matrix("http://printer.example.com/").words.contains("disputed"))
    }

    @Test("a change that depends on two properties together still has its reason")
    func jointReason() throws {
        let flag = PropertyNode(.boolean(true))
        let declaration = try Declaration(
            root: PropertyNode(
                .dictionary([
                    PropertyMember(key: "NSAllowsArbitraryLoads", node: flag),
                    PropertyMember(key: "NSAllowsLocalNetworking", node: flag),
                ])), source: "Info.plist")
        let rows = try matrix("http://203.0.113.9/", declaration).rows
        #expect(rows.allSatisfy { $0.isChanged == !$0.reasons.isEmpty })
        #expect(rows.filter { !$0.explanation.isPermitted }.count == 10)
    }

    @Test("a release without published rules names the release whose rules it has, once")
    func inherited() throws {
        let words = try matrix("http://10.0.0.5/").words
        let line = "inferred: same rules as ios26.4 ("
        #expect(words.split(separator: line).count == 2 && words.contains("    ios27       allowed  "))
        let json = try matrix("http://10.0.0.5/").json
        #expect(json.split(separator: #""inheritedFrom":"ios26.4""#).count == 2)
        #expect(json.split(separator: #""inheritedFrom":"macos26.4""#).count == 2)
    }

    @Test("on 26 and later only the on-link reading of addresses is disputed (C2)")
    func settledAddresses() throws {
        let rows = try matrix("http://10.0.0.5/").rows.filter { $0.explanation.profile.release.generation.major >= 26 }
        #expect(rows.allSatisfy { $0.explanation.disagreements.map(\.option) == ["--reading local-nets=on-link"] })
        let shared = try matrix("http://100.64.1.2/").rows.filter(\.explanation.disagreements.isEmpty)
        #expect(shared.map(\.explanation.profile.name).contains("macos26"))
    }

    @Test("the JSON is one line with a row for each profile")
    func json() throws {
        let json = try matrix("http://10.0.0.5/").json
        #expect(!json.contains("\n"))
        #expect(json.hasPrefix(#"{"url":"http://10.0.0.5/","loader":"app","rows":[{"os":"ios9","ruling":"deny","#))
        #expect(json.contains(#""disputed":[{"switch":"--reading strict-ip=off","source":"C2","ruling":"permit"}]"#))
        #expect(json.split(separator: "\"os\":").count == OSProfile.all.count + 1)
    }
}
