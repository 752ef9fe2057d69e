import ArgumentParser
import Files
import Foundation
import Reporting
import Text

/// The destination of data: standard output, or a file that the user chose.
struct Output {
    let descriptor: Int32

    /// The reason why bytes could not be written.
    struct Failure: Error, CustomStringConvertible {
        let errno: Int32

        var description: String { String(cString: strerror(errno)) }
    }

    /// Calls `body` with standard output, or with a new file at `path`. The file is complete or unchanged, because it
    /// is written under a temporary name first. Anything but a plain file of the user is written in place.
    ///
    /// - Parameters:
    ///   - mode: the permissions of a new file; by default only its user can read records.
    ///   - holdsRecords: true to warn if other accounts can read or change the file.
    /// - Throws: ``CommandFailure`` with 74 when it cannot be written.
    static func withOutput(
        to path: String?, mode: UInt16 = 0o600, holdsRecords: Bool = false, _ body: (Output) throws -> Void
    ) throws {
        guard let path, path != "-" else {
            return try naming("standard output") { try body(Output(descriptor: STDOUT_FILENO)) }
        }
        defer {
            if holdsRecords, let words = FileExposure(at: path).words(for: path) {
                StandardError.writeLine("atsgate: warning: \(words)".printable)
            }
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

    /// - Returns: nil if the file must not be replaced: it is a link, a device or another user's, has other names, or
    ///   its folder is not writable. Otherwise its mode, which is nil for a new file.
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
        // A full disk may be reported only now.
        guard close(descriptor) == 0 else { throw Failure(errno: errno) }
    }

    /// Checks that a file could be written now, so that a long run does not fail at its end. Changes nothing.
    ///
    /// - Parameter name: the name for the error message.
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

    /// Writes all bytes, waiting while the reader is slow.
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

    /// Writes text for people, wrapped to the width of the terminal; anything but a terminal gets whole lines.
    ///
    /// - Parameter hanging: the indentation of continuation lines without a label.
    func write(wrapped text: String, hanging: Int = 0) throws(Failure) {
        let terminal = ConsoleTerminal(.standardError, descriptor: descriptor)
        try write(Array(text.fitted(to: terminal.width, hanging: hanging).utf8))
    }

    private static func naming(_ name: String, _ body: () throws -> Void) throws {
        do {
            try body()
        } catch let failure as Failure {
            throw CommandFailure.output("\(name) cannot be written: \(failure)")
        }
    }
}

/// The options for results that the commands share.
struct ResultOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Write to a file instead of standard output.", valueName: "path"))
    var output: String?

    @Flag(
        name: .shortAndLong,
        help: ArgumentHelp("Print no notes on standard error, only errors.", visibility: .seldom))
    var quiet = false

    /// Applies the options before the command works.
    ///
    /// - Throws: ``CommandFailure`` with 74 if the file cannot be written.
    func begin() throws(CommandFailure) {
        if quiet { StandardError.omitNotes() }
        if let output { try Output.check(output) }
    }

    /// True if the results go to standard output, and that is a terminal.
    var isForTerminal: Bool { output == nil && isatty(STDOUT_FILENO) == 1 }
}

extension ArgumentHelp {
    /// The help of `--json` for a command with `--format`.
    static let sameAsJSON = ArgumentHelp("Same as --format json.", visibility: .seldom)
}
