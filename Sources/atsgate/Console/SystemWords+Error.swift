import Foundation
import Text

extension Error {
    /// The reason for a Foundation error, as the system's error text. Foundation's own text omits the reason, or
    /// repeats the path.
    var systemWords: String {
        let error = self as NSError
        let cause = error.userInfo[NSUnderlyingErrorKey] as? NSError
        for error in [error, cause].compactMap(\.self) where error.domain == NSPOSIXErrorDomain {
            return SystemWords.error(Int32(truncatingIfNeeded: error.code))
        }
        switch (self as? CocoaError)?.code {
        case .fileNoSuchFile?, .fileReadNoSuchFile?: return SystemWords.error(ENOENT)
        case .fileWriteNoPermission?, .fileReadNoPermission?: return SystemWords.error(EACCES)
        case .fileWriteOutOfSpace?: return SystemWords.error(ENOSPC)
        case .fileWriteVolumeReadOnly?: return SystemWords.error(EROFS)
        case .fileWriteFileExists?: return SystemWords.error(EEXIST)
        default: return "error \(error.code) of \(error.domain)"
        }
    }
}
