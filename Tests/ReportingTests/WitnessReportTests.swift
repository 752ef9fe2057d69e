import ATSPolicy
import Foundation
import Records
import Reporting
import Testing

@Suite("Reports of witness mode")
struct WitnessReportTests {
    @Test("the text tells how many agree, and each difference with what tells it")
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

                  answer         predicted                         the device  how               confidence  connections  device                origin
                  gate stricter  wouldBlock (ats.forward-secrecy)  accepted    application-data  observed    1 of 2       192.0.2.1 Safari/605  https://b.test
                  gate laxer     allowed                           refused     sealed-alert      inferred    2 of 2       192.0.2.1 curl/8      https://b.test
                """)
    }

    @Test("Markdown, HTML and JSON tell the same differences")
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
        #expect(html.contains("<td>wouldBlock (ats.forward-secrecy)</td><td>accepted</td><td>application-data</td>"))
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

    @Test("a store tells what the loads alone tell, in every format", arguments: ReportFormat.allCases)
    func ofStore(format: ReportFormat) throws {
        let loads = Self.loads.enumerated().map { SampleLoads.filed($1, id: "\($0)") }
        try withFolder { folder in
            let reader = try Self.reader(of: loads, in: folder)
            var text: [UInt8] = []
            try reader.report(as: format, of: RecordFilter()) { text += $0 }
            #expect(String(decoding: text, as: UTF8.self) == (try render(format)))
        }
    }

    @Test("the end of the run and its report count the same, also of loads that all look alike")
    func sameAsTheEnd() throws {
        var agreement = DeviceAgreement()
        // One form for all: what a device did is each load's own.
        let loads = (0..<300).map { number in
            let did: RecordedDevice.Outcome = number.isMultiple(of: 3) ? .accepted : .refused
            return SampleLoads.filed(
                Self.load("a.test", .allowed, did, "how-\(did.rawValue)", client: "192.0.2.\(number % 100):1"),
                id: "\(number)")
        }
        for load in loads { agreement.add(load) }
        try withFolder { folder in
            var text: [UInt8] = []
            try Self.reader(of: loads, in: folder).report(as: .json, of: RecordFilter()) { text += $0 }
            let json = try JSONSerialization.jsonObject(with: Data(text)) as? [String: Any]
            let told = (json?["agreement"] as? [String: Any])?["answers"] as? [String: Int]
            for (answer, origins) in agreement.counts { #expect(told?[answer.rawValue] == origins) }
            #expect(told?.values.reduce(0, +) == 100)
        }
    }

    @Test("a filter holds for what is compared, too")
    func filter() throws {
        try withFolder { folder in
            let reader = try Self.reader(of: Self.loads, in: folder)
            var filter = RecordFilter()
            filter.verdicts = [.wouldBlock]
            var text: [UInt8] = []
            try reader.report(as: .text, of: filter) { text += $0 }
            #expect(String(decoding: text, as: UTF8.self).contains("AGREEMENT  1 origin of 1 device, 2 connections\n"))
        }
    }

    @Test("other recordings say nothing of devices, not even where a log has told what one did")
    func otherModes() throws {
        let loads = [Self.load("a.test", .allowed, .refused, "a line of a log", mode: "audit")]
        for format in [ReportFormat.text, .markdown, .html, .json] {
            let text = String(decoding: try format.render(loads.map { StoredRecord($0) }), as: UTF8.self)
            #expect(!text.lowercased().contains("agreement") && !text.contains("Gate and devices"), "\(format)")
        }
    }

    private func render(_ format: ReportFormat) throws -> String {
        var renderer = format.renderer(ReportContext())
        var text: [UInt8] = []
        for (number, load) in Self.loads.enumerated() {
            try renderer.add(SampleLoads.filed(load, id: "\(number)"), to: &text)
        }
        renderer.finish(to: &text)
        return String(decoding: text, as: UTF8.self)
    }

    private static func reader(of loads: [LoadRecord], in folder: String) throws -> StoreReader {
        let sink = try StoreSink(path: folder + "/store.db")
        try sink.write(loads)
        try sink.close()
        return try StoreReader(path: folder + "/store.db")
    }

    private static let loads: [LoadRecord] = [
        load("a.test", .allowed, .accepted, "application-data"),
        load("b.test", .allowed, .refused, "sealed-alert", confidence: .inferred),
        load("b.test", .allowed, .refused, "alert-48", client: "192.0.2.1:5001"),
        load("b.test", .wouldBlock, .unknown, "unused", agent: safari),
        load("b.test", .wouldBlock, .accepted, "application-data", agent: safari),
        load("c.test", .allowed, .unknown, "no-hello"),
        load("d.test", .outside, .accepted, "application-data"),
    ]

    private static let safari = "Mozilla/5.0 (X) Safari/605"

    private static func load(
        _ host: String, _ verdict: Verdict, _ outcome: RecordedDevice.Outcome, _ how: String,
        confidence: Confidence = .observed, client: String = "192.0.2.1:5000", agent: String = "curl/8",
        mode: String = "witness"
    ) -> LoadRecord {
        var record = verdict == .wouldBlock ? SampleLoads.forwardSecrecy(verdict: .wouldBlock) : SampleLoads.plain()
        record.verdict = verdict
        record.load.target = LoadTarget(scheme: .https, host: host, port: 443)
        record.client = RecordedClient(address: client, label: nil, userAgent: agent, loader: .app, os: "ios26")
        record.policy = RecordedPolicy(source: nil, bundleID: nil, os: "ios26", basis: nil, mode: mode)
        record.device = RecordedDevice(outcome, how: how, confidence: confidence)
        return record
    }
}
