internal import Files
internal import Text

extension FileFault {
    /// The text for after a colon.
    var words: String {
        switch self {
        case .system, .directory: SystemWords.error(errno)
        case .notAFile, .tooLong, .notUTF8, .foreignLink: description
        }
    }
}
