internal import Files
internal import Foundation

/// Reads and replaces the small files of the local CA.
enum SmallFile {
    /// - Parameter isSecret: reject a file that group or others can access.
    static func read(_ path: String, isSecret: Bool) throws(CertificateAuthorityError) -> String {
        let descriptor: Int32
        do { descriptor = try InputFile.open(path) } catch {
            throw error.errno == ENOENT ? .missing(path: path) : .unreadable(path: path, error)
        }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw .unreadable(path: path, .system(errno: errno)) }
        if isSecret, status.st_uid != geteuid(), status.st_uid != 0 {
            throw .foreign(path: path, owner: status.st_uid)
        }
        if isSecret, status.st_mode & 0o077 != 0 {
            throw .exposed(path: path, mode: UInt16(truncatingIfNeeded: status.st_mode & 0o777))
        }
        do {
            return String(decoding: try InputFile.bytes(of: descriptor, upTo: limitBytes), as: UTF8.self)
        } catch {
            throw .unreadable(path: path, error)
        }
    }

    /// Writes a temporary file, with the final mode from the start, and renames it into place.
    static func write(_ text: String, to path: String, mode: mode_t) throws(CertificateAuthorityError) {
        let draft = "\(path).new"
        // Left by a gate that died; the caller holds the directory's lock.
        unlink(draft)
        let descriptor = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
        guard descriptor >= 0 else { throw .unwritable(path: draft, errno: errno) }
        let isWritten = writeAll(Array(text.utf8), to: descriptor) && fsync(descriptor) == 0
        let code = errno
        close(descriptor)
        guard isWritten else {
            unlink(draft)
            throw .unwritable(path: draft, errno: code)
        }
        guard rename(draft, path) == 0 else { throw .unwritable(path: path, errno: errno) }
    }

    private static func writeAll(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
        var count = 0
        while count < bytes.count {
            let more = bytes.withUnsafeBytes {
                Foundation.write(descriptor, $0.baseAddress?.advanced(by: count), $0.count - count)
            }
            if more < 0, errno == EINTR { continue }
            guard more > 0 else { return false }
            count += more
        }
        return true
    }

    /// Longest accepted file, in bytes: a CA pair has under 10 KB.
    private static let limitBytes = 65_536
}
