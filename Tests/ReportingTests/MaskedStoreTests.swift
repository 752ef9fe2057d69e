import ATSPolicy
import Foundation
import Records
import Reporting
import Testing
import Text

@Suite("stores and their names")
struct MaskedStoreTests {
    private static let names = NameMask.everything(key: KeyedHash(1, 2))
    /// What a report of the samples must not tell outside.
    private static let secrets = ["lab.test", "192.0.2", "App/Info", "test.lab", "nightly", "phone", "MyApp"]

    private static var loads: [LoadRecord] {
        var labelled = SampleLoads.forwardSecrecy(7)
        labelled.client = RecordedClient(
            address: "192.0.2.9:1", label: "phone", userAgent: "MyApp/1 CFNetwork/1410 Darwin/22", loader: .app,
            os: "ios26")
        return [
            SampleLoads.plain(1), SampleLoads.plain(2), SampleLoads.forwardSecrecy(3), SampleLoads.cleartext(4),
            labelled,
        ]
    }

    @Test("a copy for outside tells no name in any form of report", arguments: ReportFormat.allCases)
    func nothingIsTold(format: ReportFormat) throws {
        try withFolder { folder in
            let store = folder + "/whole.sqlite"
            let sink = try StoreSink(path: store)
            try sink.write(Self.loads)
            try sink.close()
            let copy = folder + "/copy.sqlite"
            let exported = try StoreReader(path: store).export(RecordFilter(), masking: Self.names, to: copy)
            #expect(exported.loads == 5)
            #expect(exported.sources.values.sorted() == ["App/Info.plist"])
            let declaration = Self.names.declaration(StoreReportTests.declaration)
            var text: [UInt8] = []
            let context = ReportContext(declaration: declaration)
            try StoreReader(path: copy).report(as: format, of: RecordFilter(), context) { text += $0 }
            let told = String(decoding: text, as: UTF8.self)
            for secret in Self.secrets { #expect(!told.contains(secret), "\(secret) in \(told)") }
            #expect(told.contains("masked-"))
            let file = try Data(contentsOf: URL(fileURLWithPath: copy))
            for secret in Self.secrets { #expect(file.range(of: Data(secret.utf8)) == nil, "\(secret)") }
        }
    }

    @Test("URLs of a store that an older version wrote are masked, too")
    func oldStore() throws {
        try withFolder { folder in
            let store = folder + "/old.sqlite"
            var odd = SampleLoads.plain(5)
            odd.load.path = "/{alice}/x?page=2"
            odd.load.redirectedFrom = "https://api.lab.test/{alice}"
            let loads = [odd, SampleLoads.forwardSecrecy(3), SampleLoads.cleartext(4)]
            try OldStore.make(
                at: store, rows: loads.enumerated().map { StoredRecord(SampleLoads.filed($1, id: "\($0)")) })
            try StoreSink(path: store).close()
            let some = NameMask(["*.lab.test", "/**"].compactMap { MaskPattern($0) }, key: KeyedHash(1, 2))
            for (names, secrets) in [(Self.names, Self.secrets), (some, ["api.lab", "rsa-kx", "open.lab"])] {
                let copy = folder + "/copy.sqlite"
                _ = try StoreReader(path: store).export(RecordFilter(), masking: names, to: copy)
                let told = try StoreReader(path: copy).records().map(\.json).joined(separator: "\n")
                for secret in secrets + ["alice"] { #expect(!told.contains(secret), "\(secret) in \(told)") }
                #expect(told.contains("\"url\":\"https://masked-"))
            }
        }
    }

    @Test("a copy says the same of the dictionary as what it was made of")
    func dictionary() throws {
        try withFolder { folder in
            let store = folder + "/whole.sqlite"
            let sink = try StoreSink(path: store)
            try sink.write(Self.loads)
            try sink.close()
            let copy = folder + "/copy.sqlite"
            let whole = try StoreReader(path: store)
            _ = try whole.export(RecordFilter(), masking: Self.names, to: copy)
            let masked = ReportContext(declaration: Self.names.declaration(StoreReportTests.declaration))
            let before = try Self.use(whole, ReportContext(declaration: StoreReportTests.declaration))
            let after = try Self.use(try StoreReader(path: copy), masked)
            #expect(!before.isEmpty && before == after)
        }
    }

    private static func use(_ reader: StoreReader, _ context: ReportContext) throws -> [[Int]] {
        var text: [UInt8] = []
        try reader.report(as: .json, of: RecordFilter(), context) { text += $0 }
        let object = try JSONSerialization.jsonObject(with: Data(text)) as? [String: Any]
        let parts = object?["dictionary"] as? [[String: Any]] ?? []
        return parts.map { part in ["line", "served", "needed"].map { part[$0] as? Int ?? -1 } }
    }

    @Test("what an archive files has lost its names before any sink sees it")
    func archive() throws {
        try withFolder { folder in
            let path = folder + "/s.sqlite"
            let lines = folder + "/s.jsonl"
            let names = NameMask([.everyHost], key: KeyedHash(1, 2))
            let archive = Archive(
                sinks: [try StoreSink(path: path), try JSONLinesSink(path: lines)], names: names
            ) { Issue.record("\($0)") }
            archive.file(Self.loads)
            #expect(archive.close().isComplete)
            for file in [path, lines] {
                let bytes = try Data(contentsOf: URL(fileURLWithPath: file))
                #expect(bytes.range(of: Data("rsa-kx.lab".utf8)) == nil)
            }
            #expect(
                try StoreReader(path: path).hosts(matching: RecordFilter()).allSatisfy { $0.host.hasPrefix("masked-") })
        }
    }
}
