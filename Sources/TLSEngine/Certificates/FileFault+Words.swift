internal import Files
internal import Text

extension FileFault {
    /// To stand behind a colon.
    var words: String {
        switch self {
        case .system, .directory: SystemWords.error(errno)
        case .notAFile, .tooLong, .notUTF8, .foreignLink: description
        }
    }
}
