internal import Foundation

/// The journal's bytes, believed only where nobody else could have written them: what stands in it is done to this
/// machine at the next start, and a made-up one would set a proxy of its author's choice.
struct JournalFile {
    let path: String

    /// nil where there is no file.
    func read() throws(SetupFailure) -> Data? {
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        var status = stat()
        // Who can write there can put another journal in place.
        if stat(folder, &status) == 0 { try check(status, "its folder") }
        // O_NONBLOCK: nobody may ever write into a pipe of that name.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW)
        guard descriptor >= 0 else {
            if errno == ENOENT || errno == ENOTDIR { return nil }
            throw failure(String(cString: strerror(errno)))
        }
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        guard fstat(descriptor, &status) == 0 else { throw failure(String(cString: strerror(errno))) }
        guard status.st_mode & S_IFMT == S_IFREG, status.st_size <= Self.limitBytes else {
            throw failure("it is no file that atsgate writes")
        }
        try check(status, "it")
        do { return try file.read(upToCount: Self.limitBytes) ?? Data() } catch { throw failure("it can not be read") }
    }

    /// As for the CA's folder: of this user or root, and writable by nobody else.
    private func check(_ status: stat, _ what: String) throws(SetupFailure) {
        guard status.st_uid == geteuid() || status.st_uid == 0 else {
            throw failure(
                "\(what) belongs to another user (uid \(status.st_uid)), who could have a proxy of theirs set: look "
                    + "into it, then take it away")
        }
        guard status.st_mode & 0o022 == 0 else {
            throw failure(
                "\(what) can be written to by others (mode \(String(status.st_mode & 0o777, radix: 8))), who could have "
                    + "a proxy of theirs set: look into it, then chmod go-w")
        }
    }

    private func failure(_ reason: String) -> SetupFailure { .journal(path: path, reason: reason) }

    /// Largest file taken, in bytes: a step takes some 200.
    private static let limitBytes = 1_048_576
}
