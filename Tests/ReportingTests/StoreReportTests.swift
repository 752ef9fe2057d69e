import ATSPolicy
import Foundation
import Records
import Reporting
import Testing

@Suite("Reports of a store")
struct StoreReportTests {
    @Test("grouped while reading, they say what they say row by row", arguments: ReportFormat.allCases)
    func sameAsRows(format: ReportFormat) throws {
        let context = ReportContext(declaration: Self.declaration, toolVersion: "1.2.3")
        let loads = Self.loads
        try withFolder { folder in
            let reader = try Self.store(loads, in: folder)
            var text: [UInt8] = []
            try reader.report(as: format, of: RecordFilter(), context) { text += $0 }
            let rows = try Self.render(format, context)
            #expect(String(decoding: text, as: UTF8.self) == String(decoding: rows, as: UTF8.self))
            #expect(!text.isEmpty)
        }
    }

    @Test("only loads that meet the filter are told, in groups and in rows", arguments: [ReportFormat.json, .jsonl])
    func filter(format: ReportFormat) throws {
        try withFolder { folder in
            let reader = try Self.store(Self.loads, in: folder)
            var filter = RecordFilter()
            filter.verdicts = [.blocked]
            var text: [UInt8] = []
            try reader.report(as: format, of: filter) { text += $0 }
            let told = String(decoding: text, as: UTF8.self)
            #expect(told.contains("rsa-kx.lab.test") && !told.contains("gone.lab.test"))
        }
    }

    @Test("JSON tells hosts, rules, devices, and what each key of the dictionary was for")
    func json() throws {
        let context = ReportContext(declaration: Self.declaration)
        let whole = try Self.object(.json, context)
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
        #expect(parts[0]["unused"] is NSNull && parts[1]["unused"] as? String == "no load went there")
    }

    @Test("without a dictionary nothing is said of its keys")
    func noDictionary() throws {
        #expect(try Self.object(.json, ReportContext())["dictionary"] is NSNull)
    }

    private static func object(_ format: ReportFormat, _ context: ReportContext) throws -> [String: Any] {
        let text = try render(format, context)
        return try #require(try JSONSerialization.jsonObject(with: Data(text)) as? [String: Any])
    }

    /// As a run without a store does it.
    private static func render(_ format: ReportFormat, _ context: ReportContext) throws -> [UInt8] {
        var renderer = format.renderer(context)
        var text: [UInt8] = []
        for load in loads { try renderer.add(load, to: &text) }
        renderer.finish(to: &text)
        return text
    }

    private static func store(_ loads: [LoadRecord], in folder: String) throws -> StoreReader {
        let sink = try StoreSink(path: folder + "/store.db")
        try sink.write(loads)
        try sink.close()
        return try StoreReader(path: folder + "/store.db")
    }

    private static let loads: [LoadRecord] = {
        let mixed =
            (0..<2).map { SampleLoads.plain($0) }
            + [SampleLoads.forwardSecrecy(), SampleLoads.forwardSecrecy(), SampleLoads.forwardSecrecy(5)]
            + [SampleLoads.unreachable(), SampleLoads.plain(9, verdict: .outside, host: "plain.lab.test")]
            + (0..<2).map { SampleLoads.cleartext($0) }
        return mixed.enumerated().map { SampleLoads.filed($1, id: "\($0)") }
    }()

    static var declaration: Declaration {
        func entry(_ host: String, line: Int) -> PropertyMember {
            let key = PropertyMember(key: ATSKey.insecureHTTP, keyLine: line + 1, node: PropertyNode(.boolean(true)))
            return PropertyMember(key: host, keyLine: line, node: PropertyNode(.dictionary([key])))
        }
        let entries = [entry("open.lab.test", line: 8), entry("old.lab.test", line: 12)]
        var declaration = Declaration.secureDefaults
        declaration.source = "App/Info.plist"
        declaration.line = 5
        declaration.members = [
            PropertyMember(key: ATSKey.exceptionDomains, keyLine: 6, node: PropertyNode(.dictionary(entries)))
        ]
        return declaration
    }
}

@Suite("When loads began")
struct LoadSpanTests {
    @Test("spans put together are the span of all, however long the slices have become")
    func together() throws {
        try withFolder { folder in
            let sink = try StoreSink(path: folder + "/store.db")
            let loads = (0..<2000).map { SampleLoads.plain($0 * 700, host: $0.isMultiple(of: 3) ? "a.test" : "b.test") }
            try sink.write(loads.enumerated().map { SampleLoads.filed($1, id: "\($0)") })
            try sink.close()
            var spans: [LoadSpan] = []
            try StoreReader(path: folder + "/store.db").forEachGroup { spans.append($0.span) }
            #expect(spans.count == 2)
            #expect(spans.map { $0.counts.values.reduce(0, +) } == [667, 1333])
            #expect(spans.allSatisfy { $0.counts.count <= 256 && $0.counts.count > 100 })
            #expect(spans.map(\.first) == [1_770_091_506_000, 1_770_091_506_700])
            #expect(
                spans.allSatisfy { span in
                    span.counts.keys.allSatisfy { $0 >= span.first / span.slice && $0 <= span.last / span.slice }
                })
        }
    }
}
