import Foundation

/// The files that atsgate makes for itself, as far as they are there.
struct OwnedFiles {
    let authorityFolder: String
    let storePath: String?

    /// The CA's, those that `ca rotate` put aside, and the store's.
    var paths: [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: authorityFolder)) ?? []
        let authority = names.filter { name in
            ["ca-key.pem", "ca-cert.pem"].contains { name == $0 || name.hasPrefix($0 + ".") }
        }
        let store = storePath.map { path in ["", "-wal", "-shm", MaskFile.ending].map { path + $0 } } ?? []
        return authority.sorted().map { authorityFolder + "/" + $0 } + store.filter { access($0, F_OK) == 0 }
    }

    /// Takes them away, and the folders that are empty then.
    ///
    /// - Throws: ``CommandFailure`` with 74 at the first that stays.
    func remove() throws(CommandFailure) {
        for path in paths where unlink(path) != 0 {
            throw CommandFailure.output("\(path) can not be taken away: \(String(cString: strerror(errno)))")
        }
        for folder in Set([authorityFolder, DataDirectory.path]) { rmdir(folder) }
    }
}
