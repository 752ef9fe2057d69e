import ATSPolicy
import Foundation
import Records
import Reporting
import Samples
import TestSupport
import Testing
import Text

@Suite("Masked stores")
struct MaskedStoreTests {
    private static let names = NameMask.everything(key: KeyedHash(1, 2))
    /// Text that a masked report of the samples must not contain.
    private static let secrets = ["lab.test", "192.0.2", "App/Info", "test.lab", "nightly", "phone", "MyApp"]

    @Test("an archive masks names before any sink gets the record")
    func archive() throws {
        try withFolder { folder in
            let path = folder + "/s.sqlite"
            let lines = folder + "/s.jsonl"
            let names = NameMask([.everyHost], key: KeyedHash(1, 2))
            let archive = Archive(
                sinks: [try StoreSink(path: path), try JSONLinesSink(path: lines)], names: names
            ) { Issue.record("\($0)") }
            archive.file([SampleLoads.plain(1), SampleLoads.forwardSecrecy(3), SampleLoads.cleartext(4)])
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
