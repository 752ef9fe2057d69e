import Foundation

/// Files that other processes wait for: they appear complete, or not at all.
enum WholeFile {
    /// - Throws: ``CommandFailure`` with 74.
    static func write(_ text: String, to path: String) throws {
        do {
            try Data(text.utf8).write(to: URL(fileURLWithPath: path), options: .atomic)
        } catch {
            throw CommandFailure.output("\(path) cannot be written: \(error.systemWords)")
        }
    }

    /// Writes a file that only the user can read, from its first byte on.
    ///
    /// - Throws: ``CommandFailure`` with 74.
    static func writePrivate(_ text: String, to path: String) throws { try writePrivate(Array(text.utf8), to: path) }

    static func writePrivate(_ bytes: [UInt8], to path: String) throws {
        let draft = "\(path).\(getpid())"
        // A leftover of an earlier process with the same id, as in a container.
        unlink(draft)
        let descriptor = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw failure(path) }
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        do {
            try file.write(contentsOf: Data(bytes))
            try file.synchronize()
            try file.close()
            guard rename(draft, path) == 0 else { throw failure(path) }
        } catch {
            unlink(draft)
            throw failure(path)
        }
    }

    private static func failure(_ path: String) -> CommandFailure {
        .output("\(path) cannot be written: \(String(cString: strerror(errno)))")
    }

    /// Deletes the file of an earlier run, so that readers do not mistake it for a new one.
    static func forget(_ path: String) {
        unlink(path)
    }
}
