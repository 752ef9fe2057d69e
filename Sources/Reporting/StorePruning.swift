import Foundation
import GRDB

/// Takes the oldest loads out of a store. Rows go a few thousand at a time, so that other gates can write in between.
struct StorePruning {
    let database: DatabaseQueue

    /// Applies `retention`.
    ///
    /// - Parameter now: milliseconds since 1970-01-01 UTC.
    /// - Returns: how many loads were taken out.
    func prune(_ retention: Retention, now: Int64) throws -> Int {
        let count =
            switch retention {
            case .age(let age): try takeOut(before: now - age.components.seconds * 1000)
            case .bytes(let limit): try takeOut(above: limit)
            }
        guard count > 0 else { return 0 }
        try database.write { try Self.sweep($0) }
        try giveBack()
        return count
    }

    /// Bytes of the file that are in use.
    func usedBytes() throws -> Int64 {
        try database.read { try Self.usedBytes($0) }
    }

    /// Rows are filed as loads end, so the first one that began late enough ends the old ones. An older load behind it
    /// took long; it goes with the next pruning.
    private func takeOut(before time: Int64) throws -> Int {
        let first = try database.read { db in
            try Int64.fetchOne(
                db, sql: "SELECT seq FROM load WHERE time >= ? ORDER BY seq LIMIT 1", arguments: [time])
                ?? (Int64.fetchOne(db, sql: "SELECT max(seq) FROM load") ?? 0) + 1
        }
        var count = 0
        while true {
            let taken = try takeOldest(chunk, below: first)
            count += taken
            if taken < chunk { return count }
        }
    }

    /// A tenth below the limit, so that not every batch prunes.
    private func takeOut(above limit: Int64) throws -> Int {
        guard try usedBytes() > limit else { return 0 }
        var count = 0
        while try usedBytes() > limit / 10 * 9 {
            let taken = try takeOldest(chunk, below: .max)
            if taken == 0 { break }
            count += taken
            try database.write { try Self.dropForms($0) }
        }
        return count
    }

    private func takeOldest(_ count: Int, below seq: Int64) throws -> Int {
        try database.write { db in
            try db.execute(
                sql: "DELETE FROM load WHERE seq IN (SELECT seq FROM load WHERE seq < ? ORDER BY seq LIMIT ?)",
                arguments: [seq, count])
            return db.changesCount
        }
    }

    /// What only the removed loads needed goes, too. Who remembers rows is told by the generation.
    private static func sweep(_ db: Database) throws {
        try dropForms(db)
        try db.execute(
            sql: """
                DELETE FROM tally;
                INSERT INTO tally
                SELECT recording, verdict, count(*), min(time), max(time), min(seq), max(seq)
                FROM load JOIN form ON form.id = load.form GROUP BY recording, verdict;
                """)
    }

    private static func dropForms(_ db: Database) throws {
        try db.execute(
            sql: """
                DELETE FROM form WHERE id NOT IN (SELECT form FROM load);
                DELETE FROM handshake WHERE id NOT IN (SELECT handshake FROM form WHERE handshake IS NOT NULL);
                """)
        try StoreGeneration.rise(in: db)
    }

    private static func usedBytes(_ db: Database) throws -> Int64 {
        func pragma(_ name: String) throws -> Int64 { try Int64.fetchOne(db, sql: "PRAGMA \(name)") ?? 0 }
        return try (pragma("page_count") - pragma("freelist_count")) * pragma("page_size")
    }

    /// Free pages are used again. Where they are more than the rest, the file is written anew, which takes as much room
    /// as is in use; without that room it stays as large as it is.
    private func giveBack() throws {
        let isMostlyFree = try database.read { db in
            let free = try Int64.fetchOne(db, sql: "PRAGMA freelist_count") ?? 0
            return try free > (Int64.fetchOne(db, sql: "PRAGMA page_count") ?? 0) / 2
        }
        guard isMostlyFree else { return }
        do {
            try database.writeWithoutTransaction { db in
                try db.execute(sql: "VACUUM")
                try db.checkpoint(.truncate)
            }
        } catch let error as DatabaseError where error.resultCode.isAboutRoom {}
    }

    private let chunk = 5000
}

extension ResultCode {
    /// The disk is full, or another gate is at work: nothing is broken.
    fileprivate var isAboutRoom: Bool { self == .SQLITE_FULL || self == .SQLITE_BUSY || self == .SQLITE_LOCKED }
}

/// Rises when rows that are shared were taken out, so that whoever remembers some forgets them. Kept where SQLite keeps
/// an application's own number (sqlite.org/pragma.html#pragma_user_version).
enum StoreGeneration {
    static func current(in db: Database) throws -> Int {
        try Int.fetchOne(db.cachedStatement(sql: "PRAGMA user_version")) ?? 0
    }

    static func rise(in db: Database) throws {
        try db.execute(sql: "PRAGMA user_version = \(try current(in: db) + 1)")
    }
}
