import GRDB

/// What a store's file takes on the disk.
struct StoreSpace {
    let database: StoreConnection

    /// Free pages are used again, so a gate writes the file anew only where they are more than the rest.
    func giveBackIfMostlyFree() throws {
        let isMostlyFree = try database.read { db in
            let free = try db.number("PRAGMA freelist_count") ?? 0
            return try free > (db.number("PRAGMA page_count") ?? 0) / 2
        }
        if isMostlyFree { _ = try giveBack() }
    }

    /// Writes the file anew without its free pages, which takes as much room as is in use (sqlite.org/lang_vacuum.html).
    ///
    /// - Returns: false when there is no such room, or another gate is at work; the file then stays as large as it is.
    func giveBack() throws -> Bool {
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
    /// The disk is full, or another gate is at work: nothing is broken.
    fileprivate var isAboutRoom: Bool { self == .SQLITE_FULL || self == .SQLITE_BUSY || self == .SQLITE_LOCKED }
}
