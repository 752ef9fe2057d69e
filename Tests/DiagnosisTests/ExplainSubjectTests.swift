import ATSPolicy
import Diagnosis
import Testing

@Suite("arguments of explain")
struct ExplainSubjectTests {
    @Test(
        "an error number is read in every form found in logs",
        arguments: [
            ("-9802", "-9802"), ("\u{2212}9802", "-9802"), ("3:-9858", "3:-9858"), ("1:61", "1:61"),
            ("-1200 [3:-9802]", "-1200 [3:-9802]"), ("310", "310"),
        ])
    func numbers(text: String, number: String) throws {
        #expect(try #require(ErrorNumber(text)).text == number)
    }

    @Test(
        "a page that does not exist is not taken for a host, and the nearest page is suggested",
        arguments: [
            ("law/domain", "law/domains"), ("docs/law/tsl", "law/tls"), ("law/nosuch", nil), ("docs/nosuch", nil),
            ("ci/xcod", "ci/xcode"),
            ("law/tsl#versions", "law/tls"),
        ] as [(String, String?)])
    func pages(text: String, near: String?) {
        #expect(throws: ExplainSubjectError.noTopic(text, near: near)) {
            try ExplainSubject(text, topics: ["law/domains", "law/tls", "ci/xcode", "options"])
        }
        // With more than a page name, the argument is a host.
        for load in ["https://" + text, "law.example/x", "localhost/law"] {
            guard case .load? = try? ExplainSubject(load, topics: ["law/tls"]) else {
                Issue.record("\(load) is not read as a load")
                continue
            }
        }
    }

    @Test(
        "hosts are not error numbers", arguments: ["10.0.0.5", "localhost:8080", "a:-1", "-", "[::1]", "3:", "300:5"])
    func noNumbers(text: String) {
        #expect(ErrorNumber(text) == nil)
    }

    @Test("alert 40 has one number up to iOS 11 and another later (C14)")
    func byRelease() throws {
        let old = try #require(explain("3:-9824"))
        #expect(old.meanings.allSatisfy { $0.releases == "iOS 9 to 11" })
        let new = try #require(explain("-9858"))
        #expect(new.meanings.allSatisfy { $0.releases == "iOS 12 and later" && $0.shown == "-1200 [3:-9858]" })
        #expect(new.meanings.contains { $0.rules.contains(.forwardSecrecy) })
        #expect(new.meanings.contains { $0.details == ["40 (handshake failure)"] && $0.rules == [.tlsAlert] })
    }

    @Test("-9802 can be any certificate rule; it does not occur within -1202")
    func general() throws {
        let explanation = try #require(explain("-9802"))
        let rules = Set(explanation.meanings.flatMap(\.rules))
        #expect(RuleBook.standard.rules.map(\.id).filter { $0.category == .trust }.allSatisfy(rules.contains))
        #expect(explanation.name == "errSSLFatalAlert")
        #expect(explain("-1202 [3:-9802]")?.meanings.isEmpty == true)
    }

    @Test("every number of an error and every rule has an explanation")
    func complete() throws {
        // Caches explanations: few numbers occur often, and each explanation searches all known failures.
        var explanations: [Int: NumberExplanation?] = [:]
        for known in KnownFailure.all {
            for name in ["ios9", "ios11", "ios15", "ios26.4"] {
                let error = AppleErrorTable.error(
                    for: known.failure, target: LoadTarget(scheme: .https, host: "a.test", port: 443), urlText: "",
                    profile: try #require(OSProfile.named(name)), facts: nil,
                    identifiers: LogIdentifiers(task: "", taskIndex: 0, connection: 0))
                for number in [error.code, error.streamErrorCode, error.detailCode].compactMap(\.self) {
                    let explanation = explanations[number] ?? explain("\(number)")
                    explanations[number] = explanation
                    #expect(explanation?.meanings.contains { $0.rules == known.rules || $0.what == known.what } == true)
                }
            }
        }
        for rule in RuleID.allCases {
            let explanation = RuleExplanation(rule)
            #expect(explanation.title != rule.rawValue && explanation.words.contains(explanation.title))
            if RuleBook.standard.rule(rule) != nil {
                #expect(explanation.specimen != nil && explanation.inForce != nil)
            }
        }
    }

    @Test("a code has the console lines of its releases, and the JSON of a rule the lines for its servers")
    func lines() throws {
        let console = try #require(explain("-1022")?.meanings.first).console
        #expect(
            console.map(\.releases) == ["iOS 9 and 10", "iOS 11", "iOS 12", "iOS 13 to 15", "iOS 16 and later"])
        #expect(console.last?.lines.first?.contains("cleartext HTTP connection to api.example.com") == true)
        #expect(explain("-1202")?.meanings.flatMap(\.console).contains { $0.lines.isEmpty } == false)
        #expect(RuleExplanation(.forwardSecrecy).json.contains(#""server":"nginx","lines":["ssl_ciphers "#))
    }

    @Test("a misspelled rule is an error with a suggestion; similar hosts are still hosts")
    func slips() throws {
        #expect(throws: ExplainSubjectError.unknownRule("ats.forward-secrcy", near: "ats.forward-secrecy")) {
            try ExplainSubject("ats.forward-secrcy")
        }
        guard case .load("net.example.com") = try ExplainSubject("net.example.com") else {
            Issue.record("net.example.com is not read as a load")
            return
        }
        #expect(throws: ExplainSubjectError.unknownNumber("-42")) { try ExplainSubject("-42") }
    }

    private func explain(_ text: String) -> NumberExplanation? {
        ErrorNumber(text).flatMap { NumberExplanation($0) }
    }
}
