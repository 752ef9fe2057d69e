import Foundation
import GRDB
import Records
import Reporting
import Testing

@Suite("Changing what a store holds")
struct StoreEditorTests {
    @Test("a recording gets another name everywhere, while a gate that records into it keeps its own")
    func rename() throws {
        try withFolder { folder in
            let path = folder + "/store.db"
            let gate = try StoreSink(path: path)
            try gate.write([
                SampleLoads.filed(SampleLoads.plain(1, recording: "a \"b\"/ü"), id: "1"),
                SampleLoads.filed(SampleLoads.plain(2, recording: "other"), id: "2"),
            ])
            try StoreEditor(path: path).rename("a \"b\"/ü", to: "new")
            let reader = try StoreReader(path: path)
            #expect(try reader.recordings().map(\.name) == ["new", "other"])
            #expect(
                try reader.records(recording: "new")
                    == [StoredRecord(SampleLoads.filed(SampleLoads.plain(1, recording: "new"), id: "1"))])
            try gate.write([SampleLoads.filed(SampleLoads.plain(3, recording: "a \"b\"/ü"), id: "3")])
            #expect(try reader.records(recording: "new").map(\.id) == ["1"])
            #expect(try reader.records(recording: "a \"b\"/ü").map(\.id) == ["3"])
            try gate.close()
        }
    }

    @Test("what is deleted gives its room back to the disk; the rest reads as before, and a gate records on")
    func deleteInBulk() throws {
        try withFolder { folder in
            let path = folder + "/store.db"
            let gate = try StoreSink(path: path)
            let kept = (0..<100).map {
                SampleLoads.filed(SampleLoads.plain($0, recording: "small"), id: "small \($0)")
            }
            try gate.write(Array(kept[..<50]))
            try gate.write((0..<20_000).map { SampleLoads.filed(SampleLoads.plain($0), id: "load \($0)") })
            try gate.write(Array(kept[50...]))
            let before = try size(of: path)
            try #require(before > 1_000_000)
            let outcome = try StoreEditor(path: path).delete(["nightly"])
            #expect(outcome.loads == 20_000 && outcome.isSmaller)
            #expect(try size(of: path) < before / 4)
            let reader = try StoreReader(path: path)
            #expect(try reader.records() == kept.map { StoredRecord($0) })
            #expect(try reader.recordings().map(\.name) == ["small"])
            let late = SampleLoads.filed(SampleLoads.plain(1), id: "late")
            try gate.write([late])
            #expect(try reader.records(recording: "nightly") == [StoredRecord(late)])
            try gate.close()
        }
    }

    @Test("an exported recording is one file that opens as a store, and comes back whole under any name")
    func transfer() throws {
        try withFolder { folder in
            let path = folder + "/store.db"
            let sink = try StoreSink(path: path)
            let loads = [
                SampleLoads.filed(SampleLoads.plain(1), id: "1"),
                SampleLoads.filed(SampleLoads.forwardSecrecy(2), id: "2"),
                SampleLoads.filed(SampleLoads.plain(3, recording: "other"), id: "3"),
                SampleLoads.filed(SampleLoads.plain(4), id: "4"),
            ]
            try sink.write(loads)
            let file = folder + "/ticket.sqlite"
            #expect(try StoreReader(path: path).export("nightly", to: file) == 3)
            #expect(
                try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.contains("ticket") }.count == 1)
            let nightly = loads.filter { $0.recording == "nightly" }.map { StoredRecord($0) }
            #expect(try StoreReader(path: file).records() == nightly)
            #expect(throws: StoreError.nameTaken(path: path, name: "nightly")) {
                try StoreEditor(path: path).takeIn(file)
            }
            let taken = try StoreEditor(path: path).takeIn(file, as: "from QA")
            #expect(taken.names == ["from QA"] && taken.loads == 3)
            let reader = try StoreReader(path: path)
            #expect(try reader.records(recording: "from QA").map(\.id) == ["1", "2", "4"])
            #expect(try reader.records(recording: "from QA").map(\.recording) == Array(repeating: "from QA", count: 3))
            #expect(try reader.records(recording: "nightly") == nightly)
            var handshakes: [Int64?] = []
            try reader.forEachChunk(recording: "from QA") { handshakes += $0.map(\.handshakeID) }
            try reader.forEachChunk(recording: "nightly") { handshakes += $0.map(\.handshakeID) }
            #expect(handshakes[..<3] == handshakes[3...], "handshakes are in the store once")
            #expect(handshakes[0] != nil)
            #expect(throws: StoreError.notOneRecording(path: path, count: 3)) {
                try StoreEditor(path: file).takeIn(path, as: "x")
            }
            try sink.close()
        }
    }

    private func size(of path: String) throws -> Int {
        try ["", "-wal"].map { suffix in
            try FileManager.default.attributesOfItem(atPath: path + suffix)[.size] as? Int ?? 0
        }.reduce(0, +)
    }
}
