import Foundation

/// The reason why a file cannot be opened or read.
public enum FileFault: Error, Sendable, Hashable, CustomStringConvertible {
    /// An error of the system.
    case system(errno: Int32)
    /// A named pipe, a socket or a terminal, whose reader could wait forever.
    case notAFile
    /// A directory.
    case directory
    /// Longer than any valid file of its kind.
    case tooLong
    /// Not UTF-8, although text is required.
    case notUTF8
    /// A symbolic link of another account, given by its user id, which would choose the file that is written.
    case foreignLink(owner: UInt32)

    public var description: String {
        switch self {
        case .system(let errno): String(cString: strerror(errno))
        case .notAFile: "it is a pipe or a terminal, not a file"
        case .directory: String(cString: strerror(EISDIR))
        case .tooLong: "it is too long"
        case .notUTF8: "it is not UTF-8 text"
        case .foreignLink(let owner): "it is a symbolic link of another account (\(owner))"
        }
    }

    /// The closest system error number.
    public var errno: Int32 {
        switch self {
        case .system(let errno): errno
        case .notAFile: EINVAL
        case .directory: EISDIR
        case .tooLong: EFBIG
        case .notUTF8: EILSEQ
        case .foreignLink: EPERM
        }
    }
}
