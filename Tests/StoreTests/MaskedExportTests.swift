import ATSPolicy
import Foundation
import Records
import Reporting
import Samples
import Testing
import Text

@Suite("Masked copies of a store")
struct MaskedExportTests {
    private static let names = NameMask.everything(key: KeyedHash(1, 2))
    /// Text that a masked report of the samples must not contain.
    private static let secrets = ["lab.test", "192.0.2", "App/Info", "test.lab", "nightly", "phone", "MyApp"]

    private static let loads: [LoadRecord] = {
        var labelled = SampleLoads.forwardSecrecy(7)
        labelled.client = RecordedClient(
            address: "192.0.2.9:1", label: "phone", userAgent: "MyApp/1 CFNetwork/1410 Darwin/22", loader: .app,
            os: "ios26")
        return SampleLoads.inOrder([
            SampleLoads.plain(1), SampleLoads.plain(2), SampleLoads.forwardSecrecy(3), SampleLoads.cleartext(4),
            labelled,
        ])
    }()

    @Test("a masked copy contains no name in any report format", arguments: StoreKind.allCases)
    func nothingIsTold(kind: StoreKind) throws {
        try kind.withStore { store in
            try store.write(Self.loads)
            let copy = store.path("copy.sqlite")
            let copied = try Self.copy(store.reader, to: copy)
            #expect(copied.loads == 5)
            #expect(copied.sources.values.sorted() == ["App/Info.plist"])
            let context = ReportContext(declaration: Self.names.declaration(SampleLoads.declaration))
            for format in ReportFormat.allCases {
                var text: [UInt8] = []
                try StoreReader(path: copy).report(as: format, of: RecordFilter(), context) { text += $0 }
                let told = String(decoding: text, as: UTF8.self)
                for secret in Self.secrets { #expect(!told.contains(secret), "\(secret) in \(told)") }
                #expect(told.contains("masked-"))
            }
            let file = try Data(contentsOf: URL(fileURLWithPath: copy))
            for secret in Self.secrets { #expect(file.range(of: Data(secret.utf8)) == nil, "\(secret)") }
        }
    }

    @Test("a masked export contains no name, and its loads are those of a masked copy", arguments: StoreKind.allCases)
    func export(kind: StoreKind) throws {
        try kind.withStore { store in
            try store.write(Self.loads)
            let (lines, copy) = (store.path("masked.jsonl"), store.path("copy.sqlite"))
            #expect(try store.reader.export(to: lines, masking: Self.names) == 5)
            let text = try String(contentsOfFile: lines, encoding: .utf8)
            for secret in Self.secrets { #expect(!text.contains(secret), "\(secret)") }
            _ = try Self.copy(store.reader, to: copy)
            #expect(try StoreReader(path: lines).records().texts == StoreReader(path: copy).records().texts)
        }
    }

    @Test("a masked copy gives the same results for the dictionary as its original", arguments: StoreKind.allCases)
    func dictionary(kind: StoreKind) throws {
        try kind.withStore { store in
            try store.write(Self.loads)
            let copy = store.path("copy.sqlite")
            let whole = try store.reader
            _ = try Self.copy(whole, to: copy)
            let masked = ReportContext(declaration: Self.names.declaration(SampleLoads.declaration))
            let before = try Self.use(whole, ReportContext(declaration: SampleLoads.declaration))
            let after = try Self.use(try StoreReader(path: copy), masked)
            #expect(!before.isEmpty && before == after)
        }
    }

    /// Makes a masked store at `path`.
    private static func copy(
        _ reader: StoreReader, to path: String
    ) throws -> (loads: Int, sources: [String: String]) {
        let sink = try StoreSink(path: path)
        defer { try? sink.close() }
        return try reader.copy(RecordFilter(), masking: names, into: sink)
    }

    private static func use(_ reader: StoreReader, _ context: ReportContext) throws -> [[Int]] {
        var text: [UInt8] = []
        try reader.report(as: .json, of: RecordFilter(), context) { text += $0 }
        let object = try JSONSerialization.jsonObject(with: Data(text)) as? [String: Any]
        let parts = object?["dictionary"] as? [[String: Any]] ?? []
        return parts.map { part in ["line", "served", "needed"].map { part[$0] as? Int ?? -1 } }
    }
}
