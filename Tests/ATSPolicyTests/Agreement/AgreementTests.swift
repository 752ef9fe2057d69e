import ATSPolicy
import Diagnosis
import Evidence
import Foundation
import Records
import Testing
import Text

/// Compares public evidence of real devices with the rules. `make agreement` writes the result.
@Suite struct AgreementTests {
    private static let cases = ReportedCase.Kind.allCases.flatMap { (try? ReportedCase.all(of: $0)) ?? [] }

    @Test("every difference has an explanation, and only differences have one", arguments: cases.map(\.id))
    func explained(id: String) throws {
        let reported = try #require(Self.cases.first { $0.id == id })
        let answer = try ReportedAnswer(reported)
        #expect((reported.why == nil) == (answer == .agree || answer == .unknown), "\(answer.rawValue)")
        #expect(!reported.source.isEmpty && !reported.words.isEmpty)
    }

    @Test(
        "evidence read gets the case's facts from its lines", arguments: cases.filter { $0.lines != nil }.map(\.id))
    func read(id: String) throws {
        let reported = try #require(Self.cases.first { $0.id == id })
        guard let task = reported.read else { return }
        #expect(task.outcome != .allowed || reported.device.outcome == .allowed)
        #expect(task.outcome == .allowed || task.outcome == .unknown || reported.device.outcome == .refused)
        if let code = task.code { #expect(code == reported.device.code) }
        if let stream = task.streamCode { #expect(stream == reported.device.stream) }
    }

    @Test("the counts of causes are those of the reports, and explain lists the most frequent cause first")
    func causes() throws {
        var sources: [NumberCause.Row: Set<String>] = [:]
        for reported in try ReportedCase.all(of: .reports) + ReportedCase.all(of: .logs) {
            guard let code = reported.device.code, [-1200, -1202].contains(code), reported.unknown == nil else {
                continue
            }
            // The reports of -9802 without an origin are about pins.
            let origin = reported.origin ?? (reported.device.stream == -9802 ? "pins" : "")
            guard let rule = Self.faults.first(where: { origin.contains($0.word) })?.rule else { continue }
            let row = NumberCause.Row(code: code, stream: reported.device.stream, rule: rule, reports: 0)
            sources[row, default: []].insert(reported.source)
        }
        let counted = sources.map {
            NumberCause.Row(code: $0.key.code, stream: $0.key.stream, rule: $0.key.rule, reports: $0.value.count)
        }
        #expect(Set(counted) == Set(NumberCause.rows))
        for text in ["-1200", "-9802", "-1200 [3:-9802]", "-1202", "-1202 [3:-9807]", "-9807"] {
            let causes = try #require(ErrorNumber(text).flatMap(NumberExplanation.init)).causes
            #expect(!causes.isEmpty && causes.map(\.reports) == causes.map(\.reports).sorted(by: >), "\(text)")
        }
        let untrusted = try #require(ErrorNumber("-1202 [3:-9807]").flatMap(NumberExplanation.init))
        #expect(untrusted.causes.first?.what.contains("private root") == true)
    }

    /// Words in the names of origins. Those of certificates come first: an origin may have two faults.
    private static let faults: [(word: String, rule: RuleID)] = [
        ("self-signed", .selfSigned), ("untrusted-root", .untrustedRoot), ("pins", .pinnedIdentity),
        ("sha1", .signatureHash), ("expired", .expired), ("host-name", .hostName), ("tls1.0", .tlsVersion),
        ("closed", .tlsClosed), ("alert", .tlsAlert),
    ]

    @Test("evidence read finds loads in most of the quoted lines")
    func readMany() {
        let quoted = Self.cases.filter { $0.lines != nil }
        #expect(quoted.count { $0.read?.code != nil || $0.read?.streamCode != nil } >= quoted.count / 2)
    }

    @Test("a case written by evidence export reads back with the same difference")
    func exported() throws {
        for (dictionary, isStrict) in [("NSAllowsArbitraryLoads", false), ("NSAllowsLocalNetworking", true)] {
            let load = DeviceLoad(
                url: "http://a.shop.test/x", target: LoadTarget(scheme: .http, host: "a.shop.test", port: 80),
                profile: .iOS17, isReleaseKnown: true,
                device: RecordedDevice(
                    isStrict ? .accepted : .refused, confidence: .observed,
                    facts: DeviceFacts(code: isStrict ? nil : -1022)),
                unixSeconds: 0)
            let law = try declaration(
                .dictionary([
                    PropertyMember(key: dictionary, node: PropertyNode(.boolean(true)))
                ]))
            let written = DeviceCase(load, under: law, switches: JudgeSwitches(), appTrust: .systemOnly)
            #expect(written.comparison.answer == (isStrict ? .stricter : .laxer))
            let json = written.json(id: "case-1", source: "a log").text
            let reported = try JSONDecoder().decode(ReportedCase.self, from: Data(json.utf8))
            #expect(try ReportedAnswer(reported) == written.comparison.answer)
            #expect(reported.why != nil && reported.unknown == nil)
        }
    }

    @Test("each kind has at least 20 cases, and every id is unique")
    func whole() throws {
        for kind in ReportedCase.Kind.allCases { #expect(try ReportedCase.all(of: kind).count >= 20) }
        #expect(Set(Self.cases.map(\.id)).count == Self.cases.count)
    }

    @Test("docs/agreement.md and the figure in README match the cases (make agreement)")
    func told() throws {
        let page = try AgreementPage()
        let folder = ReportedCase.Repository.folder
        let document = folder.appending(path: "docs/agreement.md")
        let readme = folder.appending(path: "README.md")
        var lines = try String(contentsOf: readme, encoding: .utf8).components(separatedBy: "\n")
        // The line after the heading and an empty line.
        let place = try #require(lines.firstIndex(of: "## Accuracy")) + 2
        if ProcessInfo.processInfo.environment["RECORD_GOLDEN"] == "1" {
            try page.text.write(to: document, atomically: true, encoding: .utf8)
            lines[place] = page.line
            try lines.joined(separator: "\n").write(to: readme, atomically: true, encoding: .utf8)
        }
        #expect(try String(contentsOf: document, encoding: .utf8) == page.text, "make agreement")
        #expect(lines[place] == page.line, "make agreement")
    }
}
