import Files
import Foundation

/// A descriptor that data goes to: standard output, or a file of the user's choice.
struct Output {
    let descriptor: Int32

    /// Why bytes could not be written.
    struct Failure: Error, CustomStringConvertible {
        let errno: Int32

        var description: String { String(cString: strerror(errno)) }
    }

    /// Calls `body` with standard output, or with the file at `path`, made anew. A file appears with all its content, or
    /// stays as it was: it is written beside its name first. What is no plain file of the user's is written in place.
    ///
    /// - Parameter mode: of a file that was not there; what was recorded is its user's alone.
    /// - Throws: ``CommandFailure`` with 74 when it cannot be written.
    static func withOutput(to path: String?, mode: UInt16 = 0o600, _ body: (Output) throws -> Void) throws {
        guard let path, path != "-" else {
            return try naming("standard output") { try body(Output(descriptor: STDOUT_FILENO)) }
        }
        guard let kept = modeOfDraft(for: path) else { return try writeInPlace(path, mode, body) }
        try naming(path) {
            try Drafts.replacing(path) { draft in
                let descriptor = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode_t(mode))
                guard descriptor >= 0 else { throw Failure(errno: errno) }
                if let kept { fchmod(descriptor, kept) }
                try fill(descriptor, body)
            }
        }
    }

    /// - Returns: nil where the file is not to be replaced: it is a link, a device, somebody else's, has other names, or
    ///   nothing can be made beside it; else the mode that it has, nil for one that is not there.
    private static func modeOfDraft(for path: String) -> mode_t?? {
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        var status = stat()
        guard lstat(path, &status) == 0 else { return .some(nil) }
        let isPlain = status.st_mode & S_IFMT == S_IFREG && status.st_nlink == 1
        guard isPlain, status.st_uid == geteuid(), access(folder, W_OK | X_OK) == 0, access(path, W_OK) == 0 else {
            return nil
        }
        return .some(status.st_mode & 0o7777)
    }

    private static func writeInPlace(_ path: String, _ mode: UInt16, _ body: (Output) throws -> Void) throws {
        let descriptor: Int32
        do throws(FileFault) {
            descriptor = try OutputFile.open(path, O_WRONLY | O_CREAT | O_TRUNC, mode: mode)
        } catch {
            throw CommandFailure.output("\(path) cannot be written: \(error)")
        }
        try naming(path) { try fill(descriptor, body) }
    }

    private static func fill(_ descriptor: Int32, _ body: (Output) throws -> Void) throws {
        var isOpen = true
        defer { if isOpen { close(descriptor) } }
        try body(Output(descriptor: descriptor))
        isOpen = false
        // A full disk may show only now.
        guard close(descriptor) == 0 else { throw Failure(errno: errno) }
    }

    /// Whether a file could be written now, so that nobody learns at the end of an hour that it could not. Leaves
    /// everything as it is.
    ///
    /// - Parameter name: what it is, for the sentence.
    /// - Throws: ``CommandFailure`` with 74.
    static func check(_ path: String, as name: String? = nil) throws(CommandFailure) {
        guard path != "-" else { return }
        var status = stat()
        if stat(path, &status) == 0 {
            guard status.st_mode & S_IFMT != S_IFDIR else { throw cannot(path, name, EISDIR) }
            guard access(path, W_OK) == 0 else { throw cannot(path, name, errno) }
            return
        }
        guard errno == ENOENT else { throw cannot(path, name, errno) }
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        guard access(folder, W_OK | X_OK) == 0 else { throw cannot(path, name, errno) }
    }

    private static func cannot(_ path: String, _ name: String?, _ error: Int32) -> CommandFailure {
        .output("\(name ?? path) cannot be written: \(Failure(errno: error))")
    }

    /// Writes all bytes, waiting where the other end is slow.
    func write(_ bytes: [UInt8]) throws(Failure) {
        var written = 0
        while written < bytes.count {
            let count = bytes[written...].withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
            if count >= 0 {
                written += count
            } else if errno == EAGAIN {
                var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                _ = poll(&entry, 1, -1)
            } else if errno != EINTR {
                throw Failure(errno: errno)
            }
        }
    }

    private static func naming(_ name: String, _ body: () throws -> Void) throws {
        do {
            try body()
        } catch let failure as Failure {
            throw CommandFailure.output("\(name) cannot be written: \(failure)")
        }
    }
}
