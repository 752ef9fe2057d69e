import ATSPolicy
import Foundation
import Records
import Reporting
import Samples
import Testing

@Suite("Reports of a store")
struct StoreReportTests {
    @Test(
        "reports of a file and of a server equal those of a store in memory, in every format",
        arguments: StoreKind.allCases)
    func sameAsRows(kind: StoreKind) throws {
        let context = ReportContext(declaration: SampleLoads.declaration, toolVersion: "1.2.3")
        try kind.withStore(of: Self.loads) { reader in
            for format in ReportFormat.allCases {
                let text = try Self.report(reader, format, context: context)
                #expect(try text == format.render(Self.loads, context), "\(format)")
                #expect(!text.isEmpty, "\(format)")
            }
        }
    }

    @Test("the diagram of start times is the same, however long the recording took", arguments: StoreKind.allCases)
    func pictureInBulk(kind: StoreKind) throws {
        let loads = SampleLoads.inOrder(
            (0..<2000).map { SampleLoads.plain($0 * 700, host: $0.isMultiple(of: 3) ? "a.test" : "b.test") })
        try kind.withStore(of: loads) { reader in
            let text = try Self.report(reader, .html)
            #expect(try text == ReportFormat.html.render(loads))
        }
    }

    @Test("reports contain only loads that match the filter, in groups and in rows", arguments: StoreKind.allCases)
    func filter(kind: StoreKind) throws {
        try kind.withStore(of: Self.loads) { reader in
            var filter = RecordFilter()
            filter.verdicts = [.blocked]
            for format in [ReportFormat.json, .jsonl] {
                let text = try Self.report(reader, format, filter)
                #expect(text.contains("rsa-kx.lab.test") && !text.contains("gone.lab.test"), "\(format)")
            }
        }
    }

    @Test("annotations and tables by host, rule, device and entrance cover all loads", arguments: StoreKind.allCases)
    func tables(kind: StoreKind) throws {
        try kind.withStore(of: Self.loads) { reader in
            let annotations = try reader.grouped(RecordFilter(), ReportContext()).annotations
            #expect(annotations.joined().contains("title=rsa-kx.lab.test%3A origin chose "))
            func rows(_ grouping: ReportGrouping) throws -> [String] {
                try reader.outline(by: grouping, of: RecordFilter()).rows.map { "\($0.name) \($0.loads)" }
            }
            #expect(
                try rows(.host) == [
                    "rsa-kx.lab.test 3", "gone.lab.test 1", "api.lab.test 2", "open.lab.test 2", "plain.lab.test 1",
                ])
            #expect(try rows(.rule) == ["ats.forward-secrecy 3", "net.refused 1"])
            #expect(try rows(.device) == ["ios26 9"])
            #expect(try rows(.entrance) == ["proxy 9"])
        }
    }

    @Test("pages of loads begin with the newest, and together contain all", arguments: StoreKind.allCases)
    func pages(kind: StoreKind) throws {
        try kind.withStore(of: Self.loads) { reader in
            var pages: [[String]] = []
            var place: StorePosition?
            repeat {
                let page = try reader.page(of: RecordFilter(recording: "nightly"), before: place, limit: 4)
                pages.append(page.records.map(\.id))
                // As a browser returns it.
                place = try page.next.map { try #require(StorePosition($0.description)) }
            } while place != nil
            #expect(pages.map(\.count) == [4, 4, 1])
            #expect(pages.flatMap(\.self) == Self.loads.map(\.id).reversed())
        }
    }

    @Test(
        "JSON lists hosts, rules, devices, and the use of each key of the dictionary", arguments: StoreKind.allCases)
    func json(kind: StoreKind) throws {
        let whole = try Self.object(kind, ReportContext(declaration: SampleLoads.declaration))
        let hosts = try #require(whole["hosts"] as? [[String: Any]])
        #expect(
            hosts.map { $0["host"] as? String } == [
                "rsa-kx.lab.test", "gone.lab.test", "api.lab.test", "open.lab.test", "plain.lab.test",
            ])
        #expect(hosts.first?["rules"] as? [String] == ["ats.forward-secrecy"])
        let rules = try #require(whole["rules"] as? [[String: Any]])
        #expect(rules.map { $0["rule"] as? String } == ["ats.forward-secrecy", "net.refused"])
        #expect(rules.first?["hosts"] as? [String] == ["rsa-kx.lab.test"])
        let devices = try #require(whole["devices"] as? [[String: Any]])
        #expect(devices.count == 1 && devices[0]["os"] as? String == "ios26" && devices[0]["loads"] as? Int == 9)
        let parts = try #require(whole["dictionary"] as? [[String: Any]])
        #expect(parts.map { $0["key"] as? String } == ["open.lab.test", "old.lab.test"])
        #expect(parts.map { $0["needed"] as? Int } == [2, 0])
        #expect(parts[0]["rules"] as? [String] == ["ats.cleartext-load"])
        #expect(parts[0]["unused"] is NSNull && parts[1]["unused"] as? String == "no load used it")
    }

    @Test("without a dictionary its keys are not listed", arguments: StoreKind.allCases)
    func noDictionary(kind: StoreKind) throws {
        #expect(try Self.object(kind, ReportContext())["dictionary"] is NSNull)
    }

    private static func object(_ kind: StoreKind, _ context: ReportContext) throws -> [String: Any] {
        let text = try kind.withStore(of: loads) { try report($0, .json, context: context) }
        return try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    }

    private static func report(
        _ reader: StoreReader, _ format: ReportFormat, _ filter: RecordFilter = RecordFilter(),
        context: ReportContext = ReportContext()
    ) throws -> String {
        var text: [UInt8] = []
        try reader.report(as: format, of: filter, context) { text += $0 }
        return String(decoding: text, as: UTF8.self)
    }

    private static let loads = SampleLoads.inOrder(
        (0..<2).map { SampleLoads.plain($0) }
            + [SampleLoads.forwardSecrecy(), SampleLoads.forwardSecrecy(), SampleLoads.forwardSecrecy(5)]
            + [SampleLoads.unreachable(), SampleLoads.plain(9, verdict: .outside, host: "plain.lab.test")]
            + (0..<2).map { SampleLoads.cleartext($0) })
}
