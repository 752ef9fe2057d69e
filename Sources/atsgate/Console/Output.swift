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

    /// Calls `body` with standard output, or with the file at `path`, made anew.
    ///
    /// - Parameter mode: of a file that was not there; what was recorded is nobody else's business.
    /// - Throws: ``CommandFailure`` with 74 when it cannot be written.
    static func withOutput(to path: String?, mode: mode_t = 0o600, _ body: (Output) throws -> Void) throws {
        guard let path, path != "-" else {
            return try naming("standard output") { try body(Output(descriptor: STDOUT_FILENO)) }
        }
        let descriptor: Int32
        do throws(FileFault) {
            descriptor = try OutputFile.open(path, O_WRONLY | O_CREAT | O_TRUNC, mode: mode)
        } catch {
            throw CommandFailure.output("\(path) cannot be written: \(error)")
        }
        var isOpen = true
        defer { if isOpen { close(descriptor) } }
        try naming(path) {
            try body(Output(descriptor: descriptor))
            isOpen = false
            // A full disk may show only now.
            guard close(descriptor) == 0 else { throw Failure(errno: errno) }
        }
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
