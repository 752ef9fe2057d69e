internal import COpenSSL
internal import Foundation
internal import Synchronization

/// The reason why a key log cannot be opened or written.
public struct KeyLogError: Error, Sendable, Hashable, CustomStringConvertible {
    public let path: String
    public let errno: Int32
    /// True if the file existed, and others can read or write it or own it.
    public let isExposed: Bool

    public init(path: String, errno: Int32, isExposed: Bool = false) {
        self.path = path
        self.errno = errno
        self.isExposed = isExposed
    }

    public var description: String {
        isExposed
            ? "\(path) is accessible to other users, who could read every connection's secrets: chmod 600 '\(path)'"
            : "\(path) cannot be written: \(String(cString: strerror(errno)))"
    }
}

/// A file of TLS secrets, for programs that decrypt captured traffic. Source of the format:
/// draft-ietf-tls-keylogfile, as SSL_CTX_set_keylog_callback(3) writes it.
///
/// Every event loop writes lines, each with one write to a descriptor in append mode, so that lines do not mix
/// (write(2), O_APPEND). Only the first failure is reported; connections continue without their lines.
public final class KeyLog: Sendable {
    public let path: String
    private let descriptor: Int32
    private let hasFailed = Atomic<Bool>(false)
    private let whenFailed: @Sendable (KeyLogError) -> Void

    /// Opens `path` for appending. A new file is readable by its owner only; a file that others can read is rejected.
    ///
    /// - Parameter whenFailed: called for the first line that cannot be written, on the thread that wrote it.
    public init(
        path: String, whenFailed: @escaping @Sendable (KeyLogError) -> Void
    ) throws(KeyLogError) {
        self.path = path
        self.whenFailed = whenFailed
        descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK, 0o600)
        guard descriptor >= 0 else { throw KeyLogError(path: path, errno: errno) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw KeyLogError(path: path, errno: errno) }
        let isFile = status.st_mode & S_IFMT == S_IFREG
        guard !isFile || (status.st_mode & 0o077 == 0 && status.st_uid == geteuid()) else {
            throw KeyLogError(path: path, errno: EPERM, isExposed: true)
        }
    }

    deinit { close(descriptor) }

    /// Logs the secrets of all connections of a context, which must keep this object alive.
    func attach(to context: ContextHandle) {
        SSL_CTX_set_ex_data(context.raw, Self.place, Unmanaged.passUnretained(self).toOpaque())
        SSL_CTX_set_keylog_callback(context.raw) { connection, line in
            guard let line, let pointer = SSL_CTX_get_ex_data(SSL_get_SSL_CTX(connection), KeyLog.place) else { return }
            Unmanaged<KeyLog>.fromOpaque(pointer).takeUnretainedValue().append(line)
        }
    }

    private func append(_ line: UnsafePointer<CChar>) {
        var bytes = Array(UnsafeRawBufferPointer(start: line, count: strlen(line)))
        bytes.append(UInt8(ascii: "\n"))
        let count = write(descriptor, bytes, bytes.count)
        guard count != bytes.count else { return }
        // A short write means that the disk is full (write(2)).
        let code = count < 0 ? errno : ENOSPC
        guard !hasFailed.exchange(true, ordering: .relaxed) else { return }
        whenFailed(KeyLogError(path: path, errno: code))
    }

    /// The index of the log in a context's extra data.
    private static let place = CRYPTO_get_ex_new_index(CRYPTO_EX_INDEX_SSL_CTX, 0, nil, nil, nil, nil)
}
