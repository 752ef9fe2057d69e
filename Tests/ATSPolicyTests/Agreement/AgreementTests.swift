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

    @Test("explain -9802 names every cause in the reports of devices, the most frequent first, with its count")
    func causesOfFatalAlert() {
        let origins = Self.cases.filter { $0.device.stream == -9802 }.map { $0.origin ?? "pins" }
        let faults = ["self-signed", "untrusted-root", "pins", "sha1", "expired"]
        #expect(NumberCause.fatalAlert.map(\.reports) == faults.map { fault in origins.count { $0.contains(fault) } })
        #expect(NumberCause.fatalAlert.reduce(0) { $0 + $1.reports } == origins.count)
        #expect(NumberCause.fatalAlert.map(\.reports) == NumberCause.fatalAlert.map(\.reports).sorted(by: >))
    }

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
