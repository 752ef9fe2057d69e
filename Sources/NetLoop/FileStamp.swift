import CPoll

/// What a file was when somebody was about to read it.
public struct FileStamp: Sendable, Hashable {
    public let path: String
    /// nil where there was no file, or where it changed so recently that a further change might show neither here nor
    /// in ``content``.
    let known: Mark?
    /// What was in a file that changed so recently that ``known`` alone might not show a further change.
    let content: [UInt8]?

    /// What changes when a file is written or replaced. Of a symbolic link, that of the file it leads to.
    struct Mark: Sendable, Hashable {
        let device: UInt64
        let inode: UInt64
        let size: UInt64
        let seconds: Int64
        let nanoseconds: Int64
    }

    /// A file as it is now; no mark where there is none.
    struct Observation {
        var mark: Mark?
        /// A further change may leave the same mark.
        var isYoung = false
        /// No pipe, which would wait, and short enough to be compared by what is in it.
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

    /// To be taken before the file is read: what changes it afterwards makes another stamp.
    public init(_ path: String) {
        self.path = path
        let look = Observation(at: path)
        content = look.isYoung && look.isReadable ? Self.content(of: path) : nil
        known = look.isYoung && content == nil ? nil : look.mark
    }

    static func content(of path: String) -> [UInt8] {
        readFile(path, upTo: Int(longestContentBytes))
    }

    /// Dictionaries have some kilobytes, lists of roots some hundreds.
    private static let longestContentBytes: UInt64 = 1 << 20
}

/// The first bytes of a file, in whole pieces of 64 KiB; none where it can not be read.
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
