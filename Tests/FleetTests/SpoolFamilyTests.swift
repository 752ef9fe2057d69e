import Fleet
import Foundation
import Postgres
import PostgresServer
import Records
import Reporting
import Seeded
import Testing

/// Several files of one spool, and several or restored servers. Each load is on each server once.
@Suite("Files of one spool on several servers")
struct SpoolFamilyTests {
    @Test("a copied spool ships each load once to another server, in any order")
    func anotherServer() throws {
        for order in [[0, 1], [1, 0]] {
            let family = try Family(servers: 2)
            try family.record(20, in: 0)
            try family.ship(0, to: 0)
            try family.copy(0, to: 1)
            try family.record(10, in: 0)
            try family.ship(0, to: 0)
            try family.record(15, in: 1)
            try family.ship(1, to: 0)
            for file in order { try family.ship(file, to: 1) }
            try family.record(3, in: 0)
            try family.record(4, in: 1)
            for server in [0, 1] { for file in order { try family.ship(file, to: server) } }
            #expect(try family.servers.map { try $0.loadsOnce() } == [52, 52])
        }
    }

    @Test("a copied spool ships each load once to a server restored from before the copy")
    func beforeTheParting() throws {
        let family = try Family(servers: 1)
        try family.record(20, in: 0)
        try family.ship(0, to: 0)
        let backup = try family.backUp(0)
        try family.copy(0, to: 1)
        try family.record(10, in: 0)
        try family.ship(0, to: 0)
        try family.record(15, in: 1)
        try family.ship(1, to: 0)
        try family.restore(0, from: backup)
        for file in [1, 0, 1] { try family.ship(file, to: 0) }
        #expect(try family.servers[0].loadsOnce() == 45)
    }

    /// Loads deleted on the server come again from a file that still has them and was copied, because no record of them
    /// is left.
    @Test("each load arrives once even if the last common load was deleted in a file or on the server")
    func deleted() throws {
        for isOnServer in [false, true] {
            let family = try Family(servers: 1)
            try family.record(10, in: 0)
            try family.record(5, in: 0, recording: "short")
            try family.copy(0, to: 1)
            try family.ship(0, to: 0)
            if isOnServer {
                let maintainer = try family.servers[0].login(in: .maintainer)
                _ = try SharedRecordings(maintainer).delete(["short"])
            } else {
                _ = try StoreEditor(path: family.files[1]).delete(["short"])
            }
            try family.record(8, in: 1)
            // A file with the same loads and no more.
            try family.copy(1, to: 2)
            try family.record(2, in: 0)
            for file in [1, 0, 2, 1] { try family.ship(file, to: 0) }
            #expect(try family.servers[0].loadsOnce() == 25, "\(isOnServer)")
        }
    }

    @Test("an export from a shipped store adds no load to it")
    func exported() throws {
        let family = try Family(servers: 1)
        try family.record(10, in: 0)
        try family.record(7, in: 0, recording: "wanted")
        try family.ship(0, to: 0)
        var lines: [UInt8] = []
        _ = try StoreReader(path: family.files[0]).export(RecordFilter(recording: "wanted")) { lines += $0 }
        let file = family.servers[0].path("wanted.jsonl")
        try Data(lines).write(to: URL(fileURLWithPath: file))
        try StoreSink(path: family.files[1]).close()
        #expect(try StoreEditor(path: family.files[1]).importRecordings(file).added == 7)
        try family.ship(1, to: 0)
        #expect(try family.servers[0].loadsOnce() == 17)
    }

    @Test("an ordinary store shipped now and then stays ordinary, and ships new loads after some were deleted")
    func ordinary() throws {
        let family = try Family(servers: 1)
        let path = family.files[0]
        func record(_ count: Int, _ recording: String) throws {
            let sink = try StoreSink(path: path)
            try sink.write(family.source.next(count, recording: recording))
            try sink.close()
        }
        try record(5, "first")
        try record(5, "second")
        try family.ship(0, to: 0)
        _ = try StoreEditor(path: path).delete(["second"])
        try record(4, "third")
        #expect(try family.ship(0, to: 0).lost == 0)
        // Old loads are pruned even if they are not shipped, because it is not a spool.
        try record(3, "fourth")
        let later = Int64(Date().timeIntervalSince1970 * 1000) + 3_600_000
        #expect(try StoreEditor(path: path).prune([.age(.seconds(60))], now: later).loads == 12)
        #expect(try family.ship(0, to: 0).lost == 0)
        #expect(try family.servers[0].loadsOnce() == 14)
        #expect(try family.servers[0].number("SELECT count(*) FROM atsgate.gate") == 1)
    }

    @Test(
        "no load is on a server twice after any sequence of copies, restores, deletions and shipping",
        arguments: [UInt64]([7, 9, 31]), [false, true])
    func model(seed: UInt64, deletes: Bool) throws {
        var random = SeededGenerator(seed: seed)
        let family = try Family(servers: 2)
        var images: [(file: Int, image: SpoolForkTests.Image)] = []
        var backups: [(server: Int, schema: String)] = []
        try family.record(5, in: 0)
        for file in 1...2 { try family.copy(0, to: file) }
        for step in 1...60 {
            let (file, other) = (Int.random(in: 0...2, using: &random), Int.random(in: 0...2, using: &random))
            let server = Int.random(in: 0...1, using: &random)
            let recording = "recording \(Int.random(in: 1...3, using: &random))"
            switch Int.random(in: 0..<22, using: &random) {
            case 0..<6: try family.record(Int.random(in: 1...9, using: &random), in: file, recording: recording)
            case 6..<15: try family.ship(file, to: server)
            case 15 where file != other: try family.copy(file, to: other)
            case 16: images.append((file, try SpoolForkTests.image(of: family.files[file])))
            case 17: if let old = images.randomElement(using: &random) { try family.setBack(old.file, to: old.image) }
            case 18: backups.append((server, try family.backUp(server)))
            case 19:
                if let old = backups.randomElement(using: &random) { try family.restore(old.server, from: old.schema) }
            case 20 where deletes: _ = try StoreEditor(path: family.files[file]).delete([recording])
            case 21 where deletes:
                let maintainer = try family.servers[server].login(in: .maintainer)
                _ = try SharedRecordings(maintainer).delete([recording])
            default: break
            }
            if step % 10 == 0 { for server in family.servers { #expect(try server.loadsOnce() != nil) } }
        }
        for server in 0...1 { for file in 0...2 { try family.ship(file, to: server) } }
        for server in family.servers {
            #expect(try server.loadsOnce() != nil)
            guard !deletes else { continue }
            let there = try Set(
                server.server.connectBySocket(database: server.database).query("SELECT id::text FROM atsgate.load")
                    .map { try $0.text(0) })
            for file in family.files { #expect(try Family.ids(in: file).isSubset(of: there)) }
        }
    }
}

/// Three files of one spool, and servers.
private final class Family {
    let servers: [ShippingRig]
    let addresses: [PostgresAddress]
    let files: [String]
    var source = LoadSource()
    private var backups = 0

    init(servers count: Int) throws {
        let all = try (0..<count).map { _ in try ShippingRig() }
        servers = all
        addresses = try all.map { try $0.writer() }
        files = (0...2).map { all[0].path("spool\($0).db") }
    }

    func record(_ count: Int, in file: Int, recording: String = "nightly") throws {
        let sink = try StoreSink(path: files[file], spoolLimit: 1 << 30)
        try sink.write(source.next(count, recording: recording))
        try sink.close()
    }

    @discardableResult
    func ship(_ file: Int, to server: Int) throws -> Shipping {
        try ShippingRig.ship(files[file], to: addresses[server])
    }

    func copy(_ file: Int, to other: Int) throws {
        try SpoolForkTests.restore(SpoolForkTests.image(of: files[file]), to: files[other])
    }

    func setBack(_ file: Int, to image: SpoolForkTests.Image) throws {
        try SpoolForkTests.restore(image, to: files[file])
    }

    /// The tables that gates write.
    private static let tables = ["gate", "load", "shared", "diagnosis", "handshake", "tally"]

    /// - Returns: The name of the schema with the backup.
    func backUp(_ server: Int) throws -> String {
        backups += 1
        let name = "backup\(backups)"
        let tables = Self.tables.map { "CREATE TABLE \(name).\($0) AS SELECT * FROM atsgate.\($0);" }
        try servers[server].run("CREATE SCHEMA \(name); " + tables.joined())
        return name
    }

    func restore(_ server: Int, from backup: String) throws {
        let tables = Self.tables.map {
            "DELETE FROM atsgate.\($0); INSERT INTO atsgate.\($0) SELECT * FROM \(backup).\($0);"
        }
        try servers[server].run(tables.joined())
    }

    /// The ids in the notation of the server.
    static func ids(in path: String) throws -> Set<String> {
        var batch = Spool.Batch()
        try Spool(path: path).fill(&batch, after: 0, count: 100_000, bytes: 1 << 30)
        return Set(batch.loads.map { "\(PostgresUUID(high: $0.columns.id.high, low: $0.columns.id.low))" })
    }
}
