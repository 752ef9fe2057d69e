import Foundation

/// Who else may touch a file that is there already. One that atsgate makes is its user's alone.
public enum FileExposure: Sendable, Hashable {
    case none
    /// Others may read it, or their group may write to it: permission bits.
    case shared(mode: UInt16)
    /// Every account of the machine may write to it: permission bits.
    case writable(mode: UInt16)
    /// It belongs to another account: its number.
    case foreign(owner: UInt32)

    /// Of an open file. A pipe, a terminal or a device is nobody's to read again.
    public init(of descriptor: Int32) {
        var status = stat()
        self = fstat(descriptor, &status) == 0 ? Self.of(status) : .none
    }

    /// Of what is at `path`.
    public init(at path: String) {
        var status = stat()
        self = stat(path, &status) == 0 ? Self.of(status) : .none
    }

    private static func of(_ status: stat) -> FileExposure {
        guard status.st_mode & S_IFMT == S_IFREG else { return .none }
        let mode = UInt16(truncatingIfNeeded: status.st_mode & 0o777)
        // The superuser writes for others, as in a container on a volume of theirs.
        if status.st_uid != geteuid(), geteuid() != 0 { return .foreign(owner: status.st_uid) }
        if mode & 0o002 != 0 { return .writable(mode: mode) }
        return mode & 0o077 != 0 ? .shared(mode: mode) : .none
    }

    /// What is to be said of records in such a file; nil for nothing.
    public func words(for path: String) -> String? {
        switch self {
        case .none: nil
        case .shared(let mode):
            "\(path) has mode \(String(mode, radix: 8)): other accounts can read what is recorded; chmod 600 '\(path)'"
        case .writable(let mode):
            "\(path) has mode \(String(mode, radix: 8)): any account could change what is recorded; chmod 600 '\(path)'"
        case .foreign(let owner): "\(path) belongs to another account (\(owner)), which could change what is recorded"
        }
    }

    /// Records are not written to it at all.
    public var isRefused: Bool {
        switch self {
        case .none, .shared: false
        case .writable, .foreign: true
        }
    }
}

/// How files of the user's choice are opened to be written.
public enum OutputFile {
    /// As open(2), but for a link that another account put there: in a folder for all, it would choose what is written to.
    ///
    /// - Parameters:
    ///   - flags: those of open(2); `O_CLOEXEC` is added.
    ///   - mode: of a file that was not there; one that is there keeps its own.
    /// - Returns: an open descriptor, for the caller to close.
    public static func open(_ path: String, _ flags: Int32, mode: UInt16) throws(FileFault) -> Int32 {
        var status = stat()
        let isLink = lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK
        if isLink, status.st_uid != geteuid(), status.st_uid != 0 {
            throw .foreignLink(owner: status.st_uid)
        }
        let descriptor = Foundation.open(path, flags | O_CLOEXEC, mode_t(mode))
        guard descriptor >= 0 else { throw .system(errno: Foundation.errno) }
        return descriptor
    }
}
