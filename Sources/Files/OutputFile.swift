import Foundation

/// The access that other accounts have to an existing file. Files that atsgate creates are accessible only to its user.
public enum FileExposure: Sendable, Hashable {
    case none
    /// Others may read it, or its group may write to it: permission bits.
    case shared(mode: UInt16)
    /// Every account may write to it: permission bits.
    case writable(mode: UInt16)
    /// It belongs to another account: its user id.
    case foreign(owner: UInt32)

    /// Checks an open file. A pipe, a terminal or a device cannot be read again, so it is not exposed.
    public init(of descriptor: Int32) {
        var status = stat()
        self = fstat(descriptor, &status) == 0 ? Self.of(status) : .none
    }

    /// Checks the file at `path`.
    public init(at path: String) {
        var status = stat()
        self = stat(path, &status) == 0 ? Self.of(status) : .none
    }

    private static func of(_ status: stat) -> FileExposure {
        guard status.st_mode & S_IFMT == S_IFREG else { return .none }
        let mode = UInt16(truncatingIfNeeded: status.st_mode & 0o777)
        let isForeign = status.st_uid != geteuid()
        // Only the owner and the superuser can change the mode.
        if isForeign, geteuid() != 0 { return .foreign(owner: status.st_uid) }
        if mode & 0o002 != 0 { return .writable(mode: mode) }
        if isForeign { return .foreign(owner: status.st_uid) }
        return mode & 0o077 != 0 ? .shared(mode: mode) : .none
    }

    /// Returns a warning about records in such a file; nil if there is no problem.
    public func words(for path: String) -> String? {
        switch self {
        case .none: nil
        case .shared(let mode):
            "\(path) has mode \(String(mode, radix: 8)): other accounts can read the records; run chmod 600 '\(path)'"
        case .writable(let mode):
            "\(path) has mode \(String(mode, radix: 8)): any account can change the records; run chmod 600 '\(path)'"
        case .foreign(let owner): "\(path) belongs to another account (\(owner)), which can read and change the records"
        }
    }

    /// True if atsgate refuses to write records to the file.
    public var isRefused: Bool {
        switch self {
        case .none, .shared: false
        case .writable: true
        // The superuser writes for others, for example in a container to a volume of theirs: a warning is enough.
        case .foreign: geteuid() != 0
        }
    }
}

/// Opens output files that the user named.
public enum OutputFile {
    /// Like open(2), but rejects a symbolic link that another account created: in a shared directory, that account
    /// would choose the file that is written.
    ///
    /// - Parameters:
    ///   - flags: those of open(2); `O_CLOEXEC` is added.
    ///   - mode: permissions of a new file; an existing one keeps its own.
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

    /// Creates a folder that only its owner can enter, with the folders above it. An existing one is left unchanged.
    public static func makeFolder(_ path: String) throws(FileFault) {
        guard mkdir(path, 0o700) != 0 else { return }
        let above = URL(fileURLWithPath: path).deletingLastPathComponent().path
        switch Foundation.errno {
        case EEXIST: return
        case ENOENT where above != path:
            try makeFolder(above)
            guard mkdir(path, 0o700) == 0 || Foundation.errno == EEXIST else {
                throw .system(errno: Foundation.errno)
            }
        case let code: throw .system(errno: code)
        }
    }
}
