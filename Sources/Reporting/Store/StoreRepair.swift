import Foundation
import GRDB

/// Makes a store anew of all that can be read of a damaged one.
public struct StoreRepair: Sendable, Hashable {
    /// Loads of each recording that are in the new file.
    public let kept: [String: Int]
    /// What was left behind, in words; nil for nothing.
    public let left: String?
    /// Where the old file is now.
    public let backup: String

    /// Puts the new file in the old one's place, and keeps the old one beside it. Where it fails, the old one stays.
    ///
    /// - Throws: ``StoreError``; ``StoreError/inUse(path:)`` while a gate or a command has it open.
    public init(path: String) throws(StoreError) {
        let draft = path + ".mended"
        do {
            let reader = try StoreReader(path: path, isAlone: true)
            try StoreFile.makeAnew(draft)
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
    /// Puts `draft` in the place of a store.
    ///
    /// - Returns: where the store is now, with what SQLite may have left beside it.
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
