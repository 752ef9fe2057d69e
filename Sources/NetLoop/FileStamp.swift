import CPoll

/// What a file was when somebody was about to read it.
public struct FileStamp: Sendable, Hashable {
    public let path: String
    /// nil where there was no file, or where it changed so recently that a further change might not show.
    let known: Mark?

    /// What changes when a file is written or replaced. Of a symbolic link, that of the file it leads to.
    struct Mark: Sendable, Hashable {
        let device: UInt64
        let inode: UInt64
        let size: UInt64
        let seconds: Int64
        let nanoseconds: Int64
    }

    /// To be taken before the file is read: what changes it afterwards makes another stamp.
    public init(_ path: String) {
        self.path = path
        let (mark, isYoung) = Self.look(at: path)
        known = isYoung ? nil : mark
    }

    /// How the file is now; no mark where there is none.
    static func look(at path: String) -> (mark: Mark?, isYoung: Bool) {
        var found = cpoll_stamp()
        guard cpoll_stamp_of(path, &found) == 0 else { return (nil, false) }
        let mark = Mark(
            device: found.device, inode: found.inode, size: found.size, seconds: found.seconds,
            nanoseconds: found.nanoseconds)
        return (mark, found.is_young != 0)
    }
}
