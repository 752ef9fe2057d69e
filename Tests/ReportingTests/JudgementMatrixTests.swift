import ATSPolicy
import Diagnosis
import Foundation
import Records
import Reporting
import Samples
import Testing
import Text

/// An exit code of 1 is a failure in every format, and no other code is.
@Suite("One judgement")
struct JudgementMatrixTests {
    /// A cell of the matrix: the load's end, the known findings, and the failures that count.
    struct Cell: Sendable, CustomTestStringConvertible {
        let verdict: Verdict
        let known: JudgementRules.KnownFindings
        let failOn: FailOn
        /// True if another load was allowed.
        let hasPassed: Bool
        /// True if the load failed in its server's TLS.
        var isTLS = false

        var hasFailed: Bool { verdict == .failed }
        var entry: Baseline.Entry {
            Baseline.Entry(["rsa-kx.lab.test", isTLS ? "tls.alert" : "ats.forward-secrecy"])
        }
        var testDescription: String { "\(verdict) \(known) \(failOn) \(hasPassed) \(isTLS)" }

        var rules: JudgementRules { JudgementRules(failOn: failOn, known: known) }

        var records: [LoadRecord] {
            (hasPassed ? [SampleLoads.plain()] : []) + [JudgementMatrixTests.trouble(verdict, isTLS: isTLS)]
        }

        /// The exit code by the table of docs/exit-codes.md, computed independently.
        var exitStatus: Int32 {
            let isRefused = verdict == .blocked || verdict == .wouldBlock
            let counts = isRefused ? failOn != .none : hasFailed && (failOn == .any || (isTLS && failOn == .refused))
            let isKnown =
                switch known {
                case .nothing: false
                case .listed(let baseline, _): !baseline.compare([entry]).known.isEmpty
                case .everything: true
                }
            if counts, !isKnown { return 1 }
            return hasPassed || isRefused || verdict == .allowed ? 0 : 3
        }
    }

    static let entry = Baseline.Entry(["rsa-kx.lab.test", "ats.forward-secrecy"])

    static func trouble(_ verdict: Verdict, isTLS: Bool) -> LoadRecord {
        switch verdict {
        case .allowed: return SampleLoads.plain(host: "rsa-kx.lab.test")
        case .outside: return SampleLoads.outside(host: "rsa-kx.lab.test")
        case .blocked, .wouldBlock, .failed:
            var record = SampleLoads.forwardSecrecy(verdict: verdict)
            guard isTLS, let old = record.diagnosis, let finding = old.findings.first else { return record }
            let alert = Finding(
                rule: .tlsAlert, title: "TLS alert", keyPath: nil, expected: "a handshake", observed: "alert 40",
                confidence: .observed, source: finding.source)
            record.diagnosis = RecordedDiagnosis(findings: [alert], apple: old.apple, remedy: old.remedy)
            return record
        }
    }

    static let cells = (Verdict.allCases.map { ($0, false) } + [(.failed, true)]).flatMap { verdict, isTLS in
        let entry = Cell(verdict: verdict, known: .nothing, failOn: .none, hasPassed: true, isTLS: isTLS).entry
        let known: [JudgementRules.KnownFindings] = [
            .nothing, .listed(Baseline(), file: "base.txt"), .listed(Baseline([entry]), file: "base.txt"),
            .everything(file: "base.txt"),
        ]
        return known.flatMap { known in
            FailOn.allCases.flatMap { failOn in
                [true, false].map {
                    Cell(verdict: verdict, known: known, failOn: failOn, hasPassed: $0, isTLS: isTLS)
                }
            }
        }
    }

    @Test("the exit code and every format agree for every verdict, baseline and --fail-on", arguments: cells)
    func agreeInBulk(cell: Cell) throws {
        let fates = cell.records.map { record in
            HostOutcome(
                host: record.load.target.host, rule: record.diagnosis?.findings.first?.rule.rawValue,
                verdict: record.verdict, loads: 1)
        }
        let judgement = RunJudgement(fates, by: cell.rules)
        #expect(judgement.exitStatus == cell.exitStatus)
        let fails = cell.exitStatus == 1
        let isNothing = judgement.nothingJudged != nil
        #expect(try render(.junit, cell).contains("<failure") == fails)
        #expect(try render(.junit, cell).contains("<error") == isNothing)
        #expect(try sarifErrors(cell) == (fails ? 1 : 0))
        #expect(try render(.sarif, cell).contains("\"executionSuccessful\":false") == isNothing)
        #expect(try render(.github, cell).contains("::error") == (fails || isNothing))
        #expect(try (render(.gitlab, cell) != "[]\n") == fails)
        #expect(try render(.csv, cell).contains(",fails\r\n") == fails)
        #expect(try render(.json, cell).contains("\"judgement\":{\"exitCode\":\(cell.exitStatus),"))
        #expect(try render(.json, cell).contains("\"judgement\":\"fails\"") == fails)
        guard cell.verdict == .outside else { return }
        #expect(try render(.text, cell).contains("1 outside\n"))
        #expect(try render(.markdown, cell).split(separator: "\n").first?.contains("1 outside") == true)
        #expect(try render(.junit, cell).contains("<skipped"))
        #expect(try render(.json, cell).contains("\"judgement\":\"outside\""))
        #expect(try render(.csv, cell).contains(",outside\r\n"))
        #expect(try !cell.hasPassed || render(.html, cell).contains("2 loads, none blocked; 1 outside ATS</h1>"))
    }

    @Test("known findings are folded, and marked as known in every format")
    func known() throws {
        let cell = Cell(
            verdict: .blocked, known: .listed(Baseline([Self.entry]), file: "base.txt"), failOn: .blocked,
            hasPassed: true)
        #expect(try render(.junit, cell).contains("<skipped message=\"known: base.txt\">"))
        #expect(try render(.junit, cell).contains("tests=\"2\" failures=\"0\" errors=\"0\" skipped=\"1\""))
        let suppressed = "\"baselineState\":\"unchanged\",\"suppressions\":[{\"kind\":\"external\","
        #expect(try render(.sarif, cell).contains(suppressed))
        #expect(try render(.github, cell).isEmpty)
        #expect(try render(.markdown, cell).hasPrefix("### atsgate: 1 allowed, 1 known of 2 loads\n"))
        #expect(try render(.markdown, cell).contains("<summary>1 known (in base.txt)</summary>"))
        #expect(try render(.html, cell).contains("<h1 class=\"allowed\">Nothing new: 2 loads, 1 known</h1>"))
        #expect(try render(.html, cell).contains("<summary>1 known (in base.txt)</summary>"))
        let text = try render(.text, cell)
        #expect(text.contains("KNOWN (1)  in base.txt\n  rsa-kx.lab.test  ats.forward-secrecy  x1\n"))
        #expect(!text.contains("BLOCKED"))
    }

    @Test("a finding missing from the baseline is new to code scanning")
    func new() throws {
        let cell = Cell(
            verdict: .blocked, known: .listed(Baseline(), file: "base.txt"), failOn: .blocked, hasPassed: true)
        #expect(try render(.sarif, cell).contains("\"baselineState\":\"new\""))
        let without = Cell(verdict: .blocked, known: .nothing, failOn: .blocked, hasPassed: true)
        #expect(try !render(.sarif, without).contains("baselineState"))
    }

    @Test("a run that needs no loads is not an error in any format")
    func needsNone() throws {
        var context = ReportContext()
        context.rules.needsLoads = false
        let text = try ReportFormat.junit.render([], context)
        #expect(!text.contains("<error"))
        #expect(RunJudgement([], by: context.rules).exitStatus == 0)
    }

    private func render(_ format: ReportFormat, _ cell: Cell) throws -> String {
        var context = ReportContext()
        context.rules = cell.rules
        return try format.render(cell.records.map { SampleLoads.filed($0) }, context)
    }

    /// The number of results that raise an alert in code scanning.
    private func sarifErrors(_ cell: Cell) throws -> Int {
        let log = try JSONSerialization.jsonObject(with: Data(render(.sarif, cell).utf8)) as? [String: Any]
        let run = try #require((log?["runs"] as? [[String: Any]])?.first)
        let results = try #require(run["results"] as? [[String: Any]])
        return results.count { $0["level"] as? String == "error" && $0["suppressions"] == nil }
    }
}
