import Foundation
import GRDB
import Records
import Reporting
import Samples
import TestSupport
import Testing
import Text

@Suite("Row numbers of a store")
struct StoreNumberTests {
    @Test("a run's loads come after the last row at its start, whatever was deleted in between")
    func behindARow() throws {
        try withFolder { folder in
            let path = folder + "/store.db"
            let gate = try StoreSink(path: path)
            try gate.write((1...5).map { filed($0, "old") })
            let before = try gate.lastRow()
            _ = try StoreEditor(path: path).delete(["old"])
            try gate.write([filed(6, "run")])
            var filter = RecordFilter()
            filter.after = before
            var ids: [String] = []
            try StoreReader(path: path).forEach(matching: filter) { ids.append($0.id) }
            #expect(ids == [SampleLoads.id(6)])
            try gate.close()
        }
    }

    @Test("a store that was pruned until it was empty continues its numbers", arguments: [false, true])
    func pruned(isReopened: Bool) throws {
        try withFolder { folder in
            let path = folder + "/store.db"
            var gate = try StoreSink(path: path)
            try gate.write((1...5).map { filed($0, "old") })
            _ = try StoreEditor(path: path).prune([.age(.seconds(3600))], now: .max / 2)
            if isReopened {
                try gate.close()
                gate = try StoreSink(path: path)
            }
            try gate.begin("new")
            try gate.write([filed(6, "new")])
            #expect(try gate.lastRow() == 6)
            #expect(try StoreReader(path: path).recordings().map(\.loads) == [1])
            #expect(try StoreReader(path: path).checkWhole() == 1)
            try gate.close()
        }
    }

    @Test("every store has its own identity, also a copied one")
    func identities() throws {
        try withFolder { folder in
            let path = folder + "/store.db"
            let gate = try StoreSink(path: path)
            try gate.write([filed(1, "a")])
            try gate.close()
            try StoreSink(path: folder + "/other.db").close()
            let copy = try StoreSink(path: folder + "/copied.db")
            _ = try StoreReader(path: path).copy(RecordFilter(), masking: .everything(key: KeyedHash(1, 2)), into: copy)
            try copy.close()
            let identities = try ["store", "other", "copied"].map {
                try identity(of: "\(folder)/\($0).db")
            }
            #expect(Set(identities).count == 3 && identities.allSatisfy { $0.count == 32 })
        }
    }

    private func identity(of path: String) throws -> String {
        try DatabaseQueue(path: path).read { try String.fetchOne($0, sql: "SELECT spool FROM meta") ?? "" }
    }

    private func filed(_ number: Int, _ recording: String) -> LoadRecord {
        SampleLoads.filed(SampleLoads.plain(number, recording: recording))
    }
}
