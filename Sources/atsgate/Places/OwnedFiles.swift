import Foundation
import Reporting
import Text

/// The existing files that atsgate created.
struct OwnedFiles {
    let authorityFolder: String
    let storePath: String?

    /// The files of the CA, and those that `ca rotate` kept.
    var authorityFiles: [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: authorityFolder)) ?? []
        let own = names.filter { name in
            ["ca-key.pem", "ca-cert.pem"].contains { name == $0 || name.hasPrefix($0 + ".") }
        }
        return own.sorted().map { authorityFolder + "/" + $0 }
    }

    /// The files of the store, the database first.
    var storeFiles: [String] {
        let all = storePath.map { path in ["", "-wal", "-shm", MaskFile.ending].map { path + $0 } } ?? []
        return all.filter { access($0, F_OK) == 0 }
    }

    /// The databases of spools.
    var spools: [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: DataDirectory.spools)) ?? []
        return names.filter { $0.wholeMatch(of: /[0-9a-f]{32}\.sqlite/) != nil }.sorted().map {
            DataDirectory.spools + "/" + $0
        }
    }

    /// The files of spools, and dictionaries of shared stores.
    var spoolFiles: [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: DataDirectory.spools)) ?? []
        let policies = names.filter { $0.hasSuffix(".policy") }.sorted().map { DataDirectory.spools + "/" + $0 }
        return spools.flatMap { path in ["", "-wal", "-shm", MaskFile.ending, SpoolLock.ending].map { path + $0 } }
            .filter { access($0, F_OK) == 0 } + policies
    }

    /// The content of spools, as in `2 spools, 14 loads not shipped`; nil if there are none.
    var spoolContents: String? {
        let spools = spools
        guard !spools.isEmpty else { return nil }
        let waiting = spools.reduce(0) { $0 + Int((try? SpoolGauge(path: $1).figures().waiting) ?? 0) }
        return "\(spools.count == 1 ? "1 spool" : "\(spools.count) spools"), \(waiting.loads) not shipped"
    }

    /// The content of the store, as in `12 recordings, 79 loads, 1.2 GB`; nil if there is none.
    var storeContents: String? {
        guard let storePath, !storeFiles.isEmpty else { return nil }
        let size = Self.size(of: storeFiles)
        guard let recordings = try? StoreReader(path: storePath).recordings() else {
            return "unreadable, \(size)"
        }
        let loads = recordings.reduce(0) { $0 + $1.loads }
        let names = recordings.count == 1 ? "1 recording" : "\(recordings.count) recordings"
        return "\(names), \(loads.loads), \(size)"
    }

    /// Removes files, and folders that are then empty.
    ///
    /// - Throws: ``CommandFailure`` with 74 at the first file that cannot be removed.
    func remove(_ paths: [String]) throws(CommandFailure) {
        // SQLite removes its log and its index itself when the last process closes the store.
        for path in paths where unlink(path) != 0 && errno != ENOENT {
            throw CommandFailure.output("\(path) cannot be removed: \(String(cString: strerror(errno)))")
        }
        for folder in [DataDirectory.spools, authorityFolder, DataDirectory.path] { rmdir(folder) }
    }

    /// The total size of files, as text.
    static func size(of paths: [String]) -> String {
        paths.reduce(Int64(0)) { sum, path in
            var status = stat()
            return stat(path, &status) == 0 ? sum + Int64(status.st_size) : sum
        }.asSize
    }
}

extension Int64 {
    /// Bytes as text: `12 kB`, `3.4 MB` or `1.2 GB`, in powers of 1,000.
    var asSize: String {
        switch self {
        case ..<1_000_000: "\((self + 999) / 1_000) kB"
        case ..<1_000_000_000: "\(self / 1_000_000).\(self / 100_000 % 10) MB"
        default: "\(self / 1_000_000_000).\(self / 100_000_000 % 10) GB"
        }
    }
}
