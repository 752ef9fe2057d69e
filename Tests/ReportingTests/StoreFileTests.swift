import Foundation
import GRDB
import Records
import Reporting
import Testing

@Suite("Files that a store is opened on")
struct StoreFileTests {
    @Test("an empty file becomes a store")
    func emptyFile() throws {
        try withFolder { folder in
            let path = folder + "/store.db"
            try Data().write(to: URL(fileURLWithPath: path))
            let sink = try StoreSink(path: path)
            try sink.write([SampleLoads.filed(SampleLoads.plain())])
            try sink.close()
            #expect(try StoreReader(path: path).records().count == 1)
        }
    }

    @Test("an older store is brought up to date and keeps its rows")
    func olderFile() throws {
        try withFolder { folder in
            let path = folder + "/store.db"
            let sink = try StoreSink(path: path)
            try sink.write([SampleLoads.filed(SampleLoads.plain())])
            try sink.close()
            let database = try DatabaseQueue(path: path)
            try database.write { db in
                try db.execute(sql: "DROP INDEX load_by_recording")
                try db.execute(sql: "DELETE FROM grdb_migrations WHERE identifier = '2 recordings'")
            }
            try database.close()
            try StoreSink(path: path).close()
            #expect(try StoreReader(path: path).records().count == 1)
            let indexes = try DatabaseQueue(path: path).read { try $0.indexes(on: "load").map(\.name) }
            #expect(indexes == ["load_by_recording"])
        }
    }

    @Test("a file that is no database is refused by name and left alone", arguments: ["reader", "sink"])
    func notADatabase(opener: String) throws {
        try withFolder { folder in
            let path = folder + "/notes.txt"
            let text = Data(String(repeating: "these are only notes\n", count: 100).utf8)
            try text.write(to: URL(fileURLWithPath: path))
            #expect(throws: StoreError.notADatabase(path: path)) { try open(path, with: opener) }
            #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == text)
        }
    }

    @Test("another program's database is refused by name and left alone", arguments: ["reader", "sink"])
    func foreign(opener: String) throws {
        try withFolder { folder in
            let path = folder + "/other.db"
            try DatabaseQueue(path: path).write { try $0.execute(sql: "CREATE TABLE photos (id)") }
            let before = try Data(contentsOf: URL(fileURLWithPath: path))
            #expect(throws: StoreError.foreignDatabase(path: path)) { try open(path, with: opener) }
            #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
        }
    }

    @Test("a store of a newer version is refused by name", arguments: ["reader", "sink"])
    func newer(opener: String) throws {
        try withFolder { folder in
            let path = folder + "/store.db"
            try StoreSink(path: path).close()
            try DatabaseQueue(path: path).write { db in
                try db.execute(sql: "INSERT INTO grdb_migrations VALUES ('99 from the future')")
            }
            #expect(throws: StoreError.newerVersion(path: path)) { try open(path, with: opener) }
        }
    }

    @Test("a folder, and a folder that cannot be made, are errors that name the path")
    func unusablePaths() throws {
        try withFolder { folder in
            #expect(throws: StoreError.self) { try open(folder, with: "sink") }
            try Data().write(to: URL(fileURLWithPath: folder + "/file"))
            let path = folder + "/file/store.db"
            do {
                try open(path, with: "sink")
                Issue.record("opened \(path)")
            } catch let error as StoreError {
                #expect(error.description.contains(path))
            }
            #expect(throws: StoreError.missing(path: folder + "/none.db")) {
                try open(folder + "/none.db", with: "reader")
            }
        }
    }

    private func open(_ path: String, with opener: String) throws {
        if opener == "reader" {
            _ = try StoreReader(path: path)
        } else {
            try StoreSink(path: path).close()
        }
    }
}
