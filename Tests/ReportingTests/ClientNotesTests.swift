import ATSPolicy
import Records
import Reporting
import Samples
import Testing

@Suite("Notes on clients")
struct ClientNotesTests {
    private func load(_ agent: String, judgedAs os: String = "ios26.4", evidence: String? = nil) -> LoadRecord {
        var record = SampleLoads.plain()
        record.client = RecordedClient(
            address: "192.0.2.7:1", label: nil, userAgent: agent, loader: .app, os: os, osEvidence: evidence)
        return record
    }

    private func sentences(_ records: [LoadRecord]) -> [String] {
        var notes = ClientNotes()
        for record in records { notes.add(record) }
        return notes.sentences
    }

    private func text(_ records: [LoadRecord]) throws -> String {
        let stored = records.map { SampleLoads.filed($0) }
        return try ReportFormat.text.render(stored, ReportContext())
    }

    @Test("a client that reports another release than the one it is judged by is noted once per release")
    func systems() throws {
        let phone = load("Shop/12 CFNetwork/1494.0.5 Darwin/23.4.0")
        let older = load("Shop/11 CFNetwork/978.0.7 Darwin/18.7.0")
        let records = [phone, phone, older, load("Shop/12 CFNetwork/3860.500.83 Darwin/25.4.0"), phone]
        let said = [
            "Clients report iOS 17.4, iOS 12.4 but are judged as iOS 26.4. To judge each client by its own release: --os auto."
        ]
        #expect(sentences(records) == said)
        #expect(try text(records).contains("  - " + said[0] + "\n"))
    }

    @Test("no note is made if the release was read from the agent, or the agent reports none")
    func same() throws {
        let guessed = load("Shop/12 CFNetwork/1494.0.5 Darwin/23.4.0", judgedAs: "ios17.4", evidence: "Darwin 23.4")
        #expect(sentences([guessed, load("curl/8.5.0"), SampleLoads.plain()]).isEmpty)
        // The release of a client that is not judged does not matter, however its load ended.
        var browser = SampleLoads.outside()
        browser.client = RecordedClient(
            address: "192.0.2.7:1", label: nil, userAgent: "MobileSafari/8617.1 CFNetwork/1494.0.5 Darwin/23.4.0",
            loader: .app, assumed: .safari, os: "ios26.4")
        var gone = browser
        gone.verdict = .failed
        #expect(sentences([browser, gone]).isEmpty)
        #expect(try !text([guessed]).contains("HINTS"))
    }

    @Test("a host with judged and outside loads is noted, because an app may send an outside agent")
    func mixedHost() throws {
        let both = [SampleLoads.plain(), SampleLoads.outside(), SampleLoads.outside(by: .dart)]
        let said = sentences(both)
        #expect(said.count == 1)
        let beginning =
            "api.lab.test: some loads came from clients that ATS does not govern (Safari, Dart) and were not judged."
        #expect(said[0].hasPrefix(beginning))
        #expect(try text(both).contains("  - " + said[0] + "\n"))
        #expect(sentences([SampleLoads.plain(), SampleLoads.outside(host: "other.test")]).isEmpty)
        #expect(sentences([SampleLoads.unreachable(), SampleLoads.outside(host: "gone.lab.test")]).isEmpty)
    }

    @Test("outside loads are counted in the first line and named at the end, and do not count as problems")
    func outside() throws {
        let text = try text([SampleLoads.plain(host: "a.test"), SampleLoads.outside(1), SampleLoads.outside(2)])
        #expect(text.contains("3: 1 allowed, 2 outside\n"))
        #expect(text.contains("OUTSIDE (2)\n"))
        #expect(text.contains("Not judged: 2 loads of clients that ATS does not govern (Safari)."))
    }

    @Test("each trouble names the client that was assumed to be the app")
    func standIn() throws {
        var record = SampleLoads.forwardSecrecy()
        record.client = RecordedClient(
            address: "127.0.0.1:1", label: nil, userAgent: "curl/8.5.0", loader: .app, assumed: .curl, os: "ios26")
        #expect(try text([record]).contains("client app, assumed from curl, ios26, curl/8.5.0\n"))
    }

    /// A blocked load with further findings.
    private func blocked(_ host: String, also rules: [RuleID]) -> LoadRecord {
        var record = SampleLoads.plain(verdict: .blocked, host: host)
        let findings = ([.cleartextLoad] + rules).map { rule in
            Finding(
                rule: rule, title: "", keyPath: nil, expected: "", observed: "seen \(rule.rawValue)",
                confidence: .observed, source: "")
        }
        record.diagnosis = RecordedDiagnosis(
            findings: findings, apple: nil, remedy: Remedy([.server("Change \(host) for \(rules.count).")]))
        return record
    }

    @Test("a remark on the client is explained once in a report; other broken rules are listed with each problem")
    func remarks() throws {
        let text = try text([
            blocked("a.test", also: [.clientForeignHello, .expired]), blocked("b.test", also: [.clientForeignHello]),
            blocked("c.test", also: [.expired, .hostName, .clientForeignHello]),
        ])
        let lines = text.split(separator: "\n").filter { $0.contains(" also ") }
        #expect(
            lines == [
                "    also   trust.expired, trust.host-name",
                "    also   client.foreign-hello: seen client.foreign-hello",
            ], "\(text)")
    }

    @Test("the hint about a proxy that decrypts says what the app sees, and which option changes that")
    func decrypted() throws {
        var record = SampleLoads.outside()
        let finding = Finding(
            rule: .netDecrypted, title: "", keyPath: nil, expected: "", observed: "", confidence: .observed, source: "")
        record.diagnosis = RecordedDiagnosis(
            findings: [finding], apple: nil, remedy: Remedy([.server("Let it pass TLS through.")]))
        let text = try text([record])
        #expect(text.contains("hides the server. Let it pass TLS through. They fail for the app if"), "\(text)")
        #expect(text.contains("--extra-ca PROXY-CA.pem lets them pass"))
    }
}
