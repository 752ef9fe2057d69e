internal import Foundation

/// The journal's bytes, read only if no other user could have written them. Its content is applied to this machine at
/// the next start, and a forged journal could set a proxy of an attacker's choice.
struct JournalFile {
    let path: String

    /// nil if the file does not exist.
    func read() throws(SetupFailure) -> Data? {
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        var status = stat()
        // A user with write access to the folder could replace the journal.
        if stat(folder, &status) == 0 { try check(status, "its folder") }
        // O_NONBLOCK: a pipe of that name may never have a writer.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW)
        guard descriptor >= 0 else {
            if errno == ENOENT || errno == ENOTDIR { return nil }
            throw failure(String(cString: strerror(errno)))
        }
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        guard fstat(descriptor, &status) == 0 else { throw failure(String(cString: strerror(errno))) }
        guard status.st_mode & S_IFMT == S_IFREG, status.st_size <= Self.limitBytes else {
            throw failure("it is not a regular file, or too large")
        }
        try check(status, "it")
        do { return try file.read(upToCount: Self.limitBytes) ?? Data() } catch { throw failure("it cannot be read") }
    }

    /// As for the CA's folder: owned by this user or root, and writable by no other user.
    private func check(_ status: stat, _ what: String) throws(SetupFailure) {
        guard status.st_uid == geteuid() || status.st_uid == 0 else {
            throw failure(
                "\(what) belongs to another user (uid \(status.st_uid)), who could set a proxy with it: "
                    + "inspect it, then delete it")
        }
        guard status.st_mode & 0o022 == 0 else {
            throw failure(
                "\(what) is writable by others (mode \(String(status.st_mode & 0o777, radix: 8))), who could set "
                    + "a proxy with it: inspect it, then chmod go-w")
        }
    }

    private func failure(_ reason: String) -> SetupFailure { .journal(path: path, reason: reason) }

    /// Largest accepted file, in bytes: a step takes some 200.
    private static let limitBytes = 1_048_576
}
