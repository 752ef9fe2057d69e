import GRDB

/// The disk space of a store's file.
struct StoreSpace {
    let database: StoreConnection

    /// Rewrites the file if more than half of it is free. Otherwise free pages are simply used again.
    func giveBackIfMostlyFree() throws {
        let isMostlyFree = try database.read { db in
            let free = try db.number("PRAGMA freelist_count") ?? 0
            return try free > (db.number("PRAGMA page_count") ?? 0) / 2
        }
        if isMostlyFree { _ = try reclaimSpace() }
    }

    /// Rewrites the file without its free pages, which temporarily takes as much space as is in use
    /// (sqlite.org/lang_vacuum.html).
    ///
    /// - Returns: false if there is not enough space or another gate uses the file, which then keeps its size.
    func reclaimSpace() throws -> Bool {
        do {
            try database.writeWithoutTransaction { db in
                try db.execute(sql: "VACUUM")
                try db.checkpoint(.truncate)
            }
            return true
        } catch let error as DatabaseError where error.resultCode.isAboutRoom {
            return false
        }
    }
}

extension ResultCode {
    /// True if the disk is full or another gate uses the file: the store itself is intact.
    fileprivate var isAboutRoom: Bool { self == .SQLITE_FULL || self == .SQLITE_BUSY || self == .SQLITE_LOCKED }
}
