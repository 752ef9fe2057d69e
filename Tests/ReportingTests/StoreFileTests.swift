import Foundation
import GRDB
import Records
import Reporting
import Samples
import TestSupport
import Testing

@Suite("Files opened as stores")
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

    @Test("a file that is not a database is refused by name and left alone", arguments: ["reader", "sink"])
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

    @Test(
        "a store of another version is refused with its version, and left alone", arguments: ["reader", "sink"],
        [0, 1, 3])
    func otherVersion(opener: String, version: Int64) throws {
        try withFolder { folder in
            let path = folder + "/store.db"
            try StoreSink(path: path).close()
            try DatabaseQueue(path: path).writeWithoutTransaction { db in
                try db.execute(sql: "PRAGMA application_id = \(0x4154_5300 + version); PRAGMA journal_mode = DELETE")
            }
            let before = try Data(contentsOf: URL(fileURLWithPath: path))
            #expect(throws: StoreError.otherVersion(path: path, found: version)) { try open(path, with: opener) }
            #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
        }
    }

    @Test("a file with all tables of a store but one column more is refused", arguments: ["reader", "sink"])
    func moreColumns(opener: String) throws {
        try withFolder { folder in
            let path = folder + "/store.db"
            try StoreSink(path: path).close()
            try DatabaseQueue(path: path).write { try $0.execute(sql: "ALTER TABLE load ADD COLUMN x") }
            #expect(throws: StoreError.foreignTables(path: path)) { try open(path, with: opener) }
        }
    }

    @Test("a new store, its log and its index are private to their owner")
    func ownerOnly() throws {
        try withFolder { folder in
            let sink = try StoreSink(path: folder + "/store.db")
            try sink.write([SampleLoads.plain()])
            for suffix in ["", "-wal", "-shm"] {
                let mode = try FileManager.default.attributesOfItem(atPath: folder + "/store.db" + suffix)
                #expect(mode[.posixPermissions] as? Int == 0o600)
            }
            try sink.close()
        }
    }

    @Test("an existing store that others may read is reported, and used")
    func openToOthers() throws {
        try withFolder { folder in
            let path = folder + "/store.db"
            try StoreSink(path: path).close()
            chmod(path, 0o644)
            let messages = Messages()
            try StoreSink(path: path, onNotice: { messages.add($0) }).close()
            #expect(messages.all.count == 1 && messages.all[0].contains("chmod 600"))
            let lines = try JSONLinesSink(path: path + ".jsonl")
            #expect(lines.notice == nil)
            try lines.close()
            chmod(path + ".jsonl", 0o640)
            let again = try JSONLinesSink(path: path + ".jsonl")
            #expect(again.notice?.contains("mode 640") == true)
            try again.close()
        }
    }

    @Test("stores and JSON lines files that every account may write to are refused")
    func openToAll() throws {
        try withFolder { folder in
            let path = folder + "/store.db"
            try StoreSink(path: path).close()
            chmod(path, 0o666)
            #expect(throws: StoreError.self) { try StoreSink(path: path) }
            try Data().write(to: URL(fileURLWithPath: path + ".jsonl"))
            chmod(path + ".jsonl", 0o666)
            #expect(throws: JSONLinesSink.CannotOpen.self) { try JSONLinesSink(path: path + ".jsonl") }
        }
    }

    @Test("a store in a missing folder is an error that names both, and no folder is created")
    func missingFolder() throws {
        try withFolder { folder in
            let path = folder + "/none/store.db"
            let error = StoreError.missingFolder(path: path, folder: folder + "/none")
            #expect(throws: error) { try open(path, with: "sink") }
            #expect(error.isBadInput)
            #expect(!FileManager.default.fileExists(atPath: folder + "/none"))
        }
    }

    @Test("a folder, and a folder that cannot be created, are errors that name the path")
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
