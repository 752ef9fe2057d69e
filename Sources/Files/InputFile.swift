import Foundation

/// The only way to open a file that is read as a whole. A pipe or terminal in its place cannot block the reader.
///
/// Descriptors that the user passes, such as `/dev/stdin` or a shell's `<(...)`, are read to their end, whatever their
/// type. So is a device other than a terminal, such as `/dev/null`, up to the caller's limit.
public enum InputFile {
    /// - Parameter limit: highest number of bytes to read; pass one more to detect a longer file.
    public static func bytes(of path: String, upTo limit: Int) throws(FileFault) -> [UInt8] {
        let descriptor = try open(path)
        defer { close(descriptor) }
        return try bytes(of: descriptor, upTo: limit)
    }

    /// Returns a whole text file: a list or a configuration that people write.
    ///
    /// - Parameter limit: in bytes.
    public static func text(of path: String, upTo limit: Int = 16 << 20) throws(FileFault) -> String {
        let bytes = try bytes(of: path, upTo: limit + 1)
        guard bytes.count <= limit else { throw .tooLong }
        guard let text = String(validating: bytes, as: UTF8.self) else { throw .notUTF8 }
        return text
    }

    /// Returns the bytes of an open descriptor, up to its end or the limit.
    public static func bytes(of descriptor: Int32, upTo limit: Int) throws(FileFault) -> [UInt8] {
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: max(1, min(limit, 65_536)))
        while bytes.count < limit {
            let wanted = min(piece.count, limit - bytes.count)
            let got = piece.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, wanted) }
            if got < 0, Foundation.errno == EINTR { continue }
            guard got >= 0 else { throw .system(errno: Foundation.errno) }
            if got == 0 { break }
            bytes += piece[..<got]
        }
        return bytes
    }

    /// - Returns: an open descriptor, for the caller to close.
    public static func open(_ path: String) throws(FileFault) -> Int32 {
        // Without O_NONBLOCK, open(2) of a pipe would wait for its other end.
        let descriptor = Foundation.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw .system(errno: Foundation.errno) }
        do {
            try check(descriptor, path)
            return descriptor
        } catch {
            close(descriptor)
            throw error
        }
    }

    private static func check(_ descriptor: Int32, _ path: String) throws(FileFault) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw .system(errno: Foundation.errno) }
        switch status.st_mode & S_IFMT {
        case S_IFREG: return
        case S_IFDIR: throw .directory
        case S_IFCHR where isatty(descriptor) == 0: break
        default: guard isDescriptor(path) else { throw .notAFile }
        }
        // The user passed the descriptor, so a writer is known to exist: reads may block.
        let flags = fcntl(descriptor, F_GETFL)
        guard flags >= 0, fcntl(descriptor, F_SETFL, flags & ~O_NONBLOCK) == 0 else {
            throw .system(errno: Foundation.errno)
        }
    }

    /// Names of the process's own descriptors: proc_pid_fd(5), fd(4).
    private static func isDescriptor(_ path: String) -> Bool {
        path == "/dev/stdin" || ["/dev/fd/", "/proc/self/fd/"].contains(where: path.hasPrefix)
    }
}
