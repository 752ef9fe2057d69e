internal import Foundation

/// Private keys of a tunnel and the configurations of devices, readable by one user: files 0600, folder 0700.
struct KeyFolder {
    let path: String

    static func interfacePath(in folder: String) -> String { folder + "/interface.key" }

    /// File names of a peer's own key, and of its device's configuration.
    static func keyName(_ peer: String) -> String { peer + ".key" }
    static func configurationName(_ peer: String) -> String { peer + ".conf" }

    /// nil if the file does not exist.
    ///
    /// - Throws: ``SetupFailure/keys(path:reason:)`` for a file that others can read or could have created.
    func read(_ name: String) throws(SetupFailure) -> String? {
        let file = path + "/" + name
        var status = stat()
        guard lstat(file, &status) == 0 else { return nil }
        guard status.st_mode & 0o077 == 0 else {
            throw .keys(path: file, reason: "others can read it (mode \(String(status.st_mode & 0o777, radix: 8)))")
        }
        do throws(SetupFailure) {
            guard let bytes = try JournalFile(path: file).read() else { return nil }
            return String(decoding: bytes, as: UTF8.self)
        } catch {
            guard case .journal(let path, let reason) = error else { throw error }
            throw .keys(path: path, reason: reason)
        }
    }

    /// Creates the folder, and writes each file atomically.
    func write(_ contents: [String: String]) throws(SetupFailure) {
        guard mkdir(path, 0o700) == 0 || errno == EEXIST else { throw failure(path) }
        var status = stat()
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR, status.st_uid == geteuid(),
            status.st_mode & 0o077 == 0
        else { throw .keys(path: path, reason: "it is not a folder for this user only (0700)") }
        for (name, content) in contents.sorted(by: { $0.key < $1.key }) {
            let (file, draft) = (path + "/" + name, path + "/" + name + ".new")
            unlink(draft)
            let descriptor = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
            guard descriptor >= 0 else { throw failure(draft) }
            let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
            do {
                try handle.write(contentsOf: Array(content.utf8))
                try handle.synchronize()
            } catch {
                throw failure(draft)
            }
            guard rename(draft, file) == 0 else { throw failure(file) }
        }
    }

    /// Deletes files, and the folder if it is empty then.
    func remove(_ names: [String]) throws(SetupFailure) {
        for name in names.flatMap({ [$0, $0 + ".new"] }) {
            guard unlink(path + "/" + name) == 0 || errno == ENOENT || errno == ENOTDIR else {
                throw failure(path + "/" + name)
            }
        }
        rmdir(path)
    }

    /// Deletes all keys and configurations, including kept ones.
    func removeAll() throws(SetupFailure) {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        try remove(names.filter { $0.hasSuffix(".key") || $0.hasSuffix(".conf") })
    }

    private func failure(_ path: String) -> SetupFailure {
        .keys(path: path, reason: String(cString: strerror(errno)))
    }
}
