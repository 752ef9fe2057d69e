import ATSPolicy
import Foundation
import Records
import Reporting
import Samples
import Testing

@Suite("Reports of witness mode")
struct WitnessReportTests {
    @Test("the text counts agreements, and lists each difference with its evidence")
    func text() throws {
        let report = try render(.text)
        let section =
            try #require(report.components(separatedBy: "\n\n").first { $0.hasPrefix("AGREEMENT") })
            + "\n\n" + (report.components(separatedBy: "\n\n").first { $0.hasPrefix("  answer") } ?? "")
        #expect(
            section == """
                AGREEMENT  5 origins of 2 devices, 7 connections
                  origins  answer
                        1  agree
                        1  gate stricter
                        1  gate laxer
                        2  cannot tell: 1 no-hello, 1 outside ATS

                  answer         predicted                          outcome   how               confidence  connections  device                origin
                  gate stricter  would block (ats.forward-secrecy)  accepted  application-data  observed    1 of 2       192.0.2.1 Safari/605  https://b.test
                  gate laxer     allowed                            refused   sealed-alert      inferred    2 of 2       192.0.2.1 curl/8      https://b.test
                """)
    }

    @Test("Markdown, HTML and JSON list the same differences")
    func otherFormats() throws {
        let markdown = try render(.markdown)
        #expect(markdown.contains("**Gate and devices**: 5 origins of 2 devices, 7 connections\n"))
        #expect(markdown.contains("| 2 | cannot tell: 1 no-hello, 1 outside ATS |\n"))
        #expect(
            markdown.contains(
                "| gate laxer | allowed | refused | sealed-alert | inferred | 2 of 2 | 192.0.2.1 curl/8 | https://b.test |\n"
            ))
        let html = try render(.html)
        #expect(html.contains("<a href=\"#agreement\">Gate and devices</a>"))
        #expect(html.contains("<span class=\"badge blocked\">gate laxer</span>"))
        #expect(html.contains("<td>would block (ats.forward-secrecy)</td><td>accepted</td><td>application-data</td>"))
        let json = try JSONSerialization.jsonObject(with: Data(render(.json).utf8)) as? [String: Any]
        let agreement = try #require(json?["agreement"] as? [String: Any])
        #expect(
            agreement["answers"] as? [String: Int] == [
                "agree": 1, "gate stricter": 1, "gate laxer": 1, "cannot tell": 2,
            ])
        #expect(agreement["origins"] as? Int == 5 && agreement["devices"] as? Int == 2)
        #expect(agreement["connections"] as? Int == 7 && agreement["uncounted"] as? Int == 0)
        let differences = try #require(agreement["differences"] as? [[String: Any]])
        #expect(differences.map { $0["rule"] as? String } == ["ats.forward-secrecy", nil])
        #expect(differences.map { $0["outcome"] as? String } == ["accepted", "refused"])
        #expect(differences.map { $0["connections"] as? Int } == [1, 2])
        #expect(
            (agreement["cannotTell"] as? [[String: Any]])?.map { $0["why"] as? String } == ["no-hello", "outside ATS"])
    }

    @Test("reports of other modes do not mention agreement, even if a log shows a device's outcome")
    func otherModes() throws {
        let loads = [SampleLoads.witnessedLoad("a.test", .allowed, .refused, "a line of a log", mode: "audit")]
        for format in [ReportFormat.text, .markdown, .html, .json] {
            let text = try format.render(loads)
            #expect(!text.lowercased().contains("agreement") && !text.contains("Gate and devices"), "\(format)")
        }
    }

    private func render(_ format: ReportFormat) throws -> String {
        return try format.render(SampleLoads.witnessed, ReportContext())
    }
}
