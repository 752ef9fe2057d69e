import Foundation
import Reporting
import Text

/// The files that atsgate makes for itself, as far as they are there.
struct OwnedFiles {
    let authorityFolder: String
    let storePath: String?

    /// The CA's, and those that `ca rotate` put aside.
    var authorityFiles: [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: authorityFolder)) ?? []
        let own = names.filter { name in
            ["ca-key.pem", "ca-cert.pem"].contains { name == $0 || name.hasPrefix($0 + ".") }
        }
        return own.sorted().map { authorityFolder + "/" + $0 }
    }

    /// The store's: the database itself first.
    var storeFiles: [String] {
        let all = storePath.map { path in ["", "-wal", "-shm", MaskFile.ending].map { path + $0 } } ?? []
        return all.filter { access($0, F_OK) == 0 }
    }

    /// Databases of spools.
    var spools: [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: DataDirectory.spools)) ?? []
        return names.filter { $0.wholeMatch(of: /[0-9a-f]{32}\.sqlite/) != nil }.sorted().map {
            DataDirectory.spools + "/" + $0
        }
    }

    /// Each with what is beside it, and dictionaries of shared stores.
    var spoolFiles: [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: DataDirectory.spools)) ?? []
        let policies = names.filter { $0.hasSuffix(".policy") }.sorted().map { DataDirectory.spools + "/" + $0 }
        return spools.flatMap { path in ["", "-wal", "-shm", MaskFile.ending, SpoolLock.ending].map { path + $0 } }
            .filter { access($0, F_OK) == 0 } + policies
    }

    /// What spools hold, as in `2 spools, 14 loads in no shared store yet`; nil where there are none.
    var spoolContents: String? {
        let spools = spools
        guard !spools.isEmpty else { return nil }
        let waiting = spools.reduce(0) { $0 + Int((try? SpoolGauge(path: $1).figures().waiting) ?? 0) }
        return "\(spools.count == 1 ? "1 spool" : "\(spools.count) spools"), \(waiting.loads) in no shared store yet"
    }

    /// What the store holds, as in `12 recordings, 79 loads, 1.2 GB`; nil where there is none.
    var storeContents: String? {
        guard let storePath, !storeFiles.isEmpty else { return nil }
        let size = Self.size(of: storeFiles)
        guard let recordings = try? StoreReader(path: storePath).recordings() else {
            return "nothing that can be read, \(size)"
        }
        let loads = recordings.reduce(0) { $0 + $1.loads }
        let names = recordings.count == 1 ? "1 recording" : "\(recordings.count) recordings"
        return "\(names), \(loads.loads), \(size)"
    }

    /// Takes files away, and the folders that are empty then.
    ///
    /// - Throws: ``CommandFailure`` with 74 at the first that stays.
    func remove(_ paths: [String]) throws(CommandFailure) {
        // SQLite takes its log and its index away itself when the last process closes the store.
        for path in paths where unlink(path) != 0 && errno != ENOENT {
            throw CommandFailure.output("\(path) cannot be removed: \(String(cString: strerror(errno)))")
        }
        for folder in [DataDirectory.spools, authorityFolder, DataDirectory.path] { rmdir(folder) }
    }

    /// Of all of them, for people.
    static func size(of paths: [String]) -> String {
        paths.reduce(Int64(0)) { sum, path in
            var status = stat()
            return stat(path, &status) == 0 ? sum + Int64(status.st_size) : sum
        }.asSize
    }
}

extension Int64 {
    /// Bytes for people: `12 kB`, `3.4 MB` or `1.2 GB`, in powers of 1,000.
    var asSize: String {
        switch self {
        case ..<1_000_000: "\((self + 999) / 1_000) kB"
        case ..<1_000_000_000: "\(self / 1_000_000).\(self / 100_000 % 10) MB"
        default: "\(self / 1_000_000_000).\(self / 100_000_000 % 10) GB"
        }
    }
}
