import CPoll

/// The state of a file just before it is read.
public struct FileStamp: Sendable, Hashable {
    public let path: String
    /// nil if there was no file, or if it changed so recently that neither this nor ``content`` would show a further
    /// change.
    let known: Mark?
    /// The content of a file that changed so recently that ``known`` alone might not show a further change.
    let content: [UInt8]?

    /// The attributes that change when a file is written or replaced. For a symbolic link, those of its target.
    struct Mark: Sendable, Hashable {
        let device: UInt64
        let inode: UInt64
        let size: UInt64
        let seconds: Int64
        let nanoseconds: Int64
    }

    /// The current state of a file; `mark` is nil if it does not exist.
    struct Observation {
        var mark: Mark?
        /// True if a further change may leave the same mark.
        var isYoung = false
        /// True for a regular file (reading a pipe would block) that is small enough to compare its content.
        var isReadable = false

        init(at path: String) {
            var found = cpoll_stamp()
            guard cpoll_stamp_of(path, &found) == 0 else { return }
            mark = Mark(
                device: found.device, inode: found.inode, size: found.size, seconds: found.seconds,
                nanoseconds: found.nanoseconds)
            isYoung = found.is_young != 0
            isReadable = found.is_regular != 0 && found.size <= FileStamp.longestContentBytes
        }
    }

    /// Take the stamp before reading the file: later changes then result in a different stamp.
    public init(_ path: String) {
        self.path = path
        let look = Observation(at: path)
        content = look.isYoung && look.isReadable ? Self.content(of: path) : nil
        known = look.isYoung && content == nil ? nil : look.mark
    }

    static func content(of path: String) -> [UInt8] {
        readFile(path, upTo: Int(longestContentBytes))
    }

    /// Dictionaries have some kilobytes, lists of roots some hundred.
    private static let longestContentBytes: UInt64 = 1 << 20
}

/// Returns the first bytes of a file, in pieces of 64 KiB; empty if it cannot be read.
func readFile(_ path: String, upTo limitBytes: Int) -> [UInt8] {
    let descriptor = cpoll_open_file(path)
    guard descriptor >= 0 else { return [] }
    defer { closeDescriptor(descriptor) }
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 65_536)
    while bytes.count < limitBytes {
        let count = cpoll_read_pipe(descriptor, &piece, piece.count)
        guard count > 0 else { break }
        bytes += piece.prefix(count)
    }
    return bytes
}
