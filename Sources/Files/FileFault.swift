import Foundation

/// Why a file cannot be opened or read.
public enum FileFault: Error, Sendable, Hashable, CustomStringConvertible {
    /// What the system said.
    case system(errno: Int32)
    /// A pipe, a socket or a terminal that has a name of its own: whoever reads it may wait for ever.
    case notAFile
    /// A folder.
    case directory
    /// More bytes than any of its kind has.
    case tooLong
    /// Text was asked for.
    case notUTF8
    /// A link of another account, by its number: it would choose what is written to.
    case foreignLink(owner: UInt32)

    public var description: String {
        switch self {
        case .system(let errno): String(cString: strerror(errno))
        case .notAFile: "it is a pipe or a terminal, and not a file"
        case .directory: String(cString: strerror(EISDIR))
        case .tooLong: "it is too long"
        case .notUTF8: "it is not UTF-8 text"
        case .foreignLink(let owner): "it is a link of another account (\(owner))"
        }
    }

    /// The number of the system's error that is nearest.
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
