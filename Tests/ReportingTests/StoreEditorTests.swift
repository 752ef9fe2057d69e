import Foundation
import GRDB
import Records
import Reporting
import Samples
import TestSupport
import Testing

@Suite("Disk space after deletion")
struct StoreEditorTests {
    @Test("a deletion returns space to the disk, the rest reads as before, and a gate keeps recording")
    func deleteInBulk() throws {
        try withFolder { folder in
            let path = folder + "/store.db"
            let gate = try StoreSink(path: path)
            let kept = (0..<100).map { SampleLoads.filed(SampleLoads.plain($0, recording: "small")) }
            try gate.write(Array(kept[..<50]))
            try gate.write((0..<20_000).map { SampleLoads.filed(SampleLoads.plain($0 + 1000)) })
            try gate.write(Array(kept[50...]))
            let before = try size(of: path)
            try #require(before > 1_000_000)
            let outcome = try StoreEditor(path: path).delete(["nightly"])
            #expect(outcome.loads == 20_000 && outcome.space == .returned)
            #expect(try size(of: path) < before / 4)
            let reader = try StoreReader(path: path)
            #expect(try reader.records().map { RecordJSON.text($0) } == kept.map { RecordJSON.text($0) })
            #expect(try reader.recordings().map(\.name) == ["small"])
            let late = SampleLoads.filed(SampleLoads.plain(50_000))
            try gate.write([late])
            #expect(try reader.records(recording: "nightly").map(\.id) == [late.id])
            try gate.close()
        }
    }

    private func size(of path: String) throws -> Int {
        try ["", "-wal"].map { suffix in
            try FileManager.default.attributesOfItem(atPath: path + suffix)[.size] as? Int ?? 0
        }.reduce(0, +)
    }
}
