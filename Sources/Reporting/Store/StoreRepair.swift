import Foundation
import GRDB

/// Rebuilds a damaged store from everything that can be read.
public struct StoreRepair: Sendable, Hashable {
    /// The number of loads of each recording in the new file.
    public let kept: [String: Int]
    /// A description of what could not be copied; nil if all was.
    public let left: String?
    /// The path of the old file.
    public let backup: String

    /// Replaces the file with the repaired one and keeps the old one next to it. If that fails, the old one stays.
    ///
    /// - Throws: ``StoreError``; ``StoreError/inUse(path:)`` while a gate or a command has it open.
    public init(path: String) throws(StoreError) {
        let draft = path + ".mended"
        do {
            let reader = try StoreReader(path: path, isAlone: true)
            try StoreFile.replaceWithEmpty(draft)
            let copy = try StoreSink.open(path: draft)
            var transfer = StoreTransfer(from: reader, care: .loads, keepsNumbers: true)
            kept = try copy.write(.otherStore) { db in
                let counts = try transfer.copy(into: db)
                try SpoolState.adopt(from: reader, in: db)
                return counts
            }
            try StoreFile.settle(copy)
            try copy.close()
            left = reader.damage.summary
            try reader.close()
            backup = try StoreFile.replace(path, by: draft)
        } catch {
            unlink(draft)
            throw StoreSchema.explained(error, path: path)
        }
    }
}

extension StoreFile {
    /// Replaces a store with `draft`.
    ///
    /// - Returns: the new path of the old store. A log that SQLite left is also moved.
    fileprivate static func replace(_ path: String, by draft: String) throws(StoreError) -> String {
        var backup = path + ".damaged"
        var number = 1
        while access(backup, F_OK) == 0 {
            number += 1
            backup = "\(path).damaged-\(number)"
        }
        for suffix in ["-wal", "-shm"] where access(path + suffix, F_OK) == 0 {
            _ = rename(path + suffix, backup + suffix)
        }
        guard rename(path, backup) == 0, rename(draft, path) == 0 else {
            throw .cannotOpen(path: path, cause: String(cString: strerror(errno)))
        }
        return backup
    }
}
