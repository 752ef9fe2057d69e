import Foundation
import NetLoop
import ProxyServer
import Reporting
import Setup
import Text

/// The reason why a command ends early: a sentence for the user and an exit code for scripts. Source of the codes:
/// docs/exit-codes.md.
struct CommandFailure: Error {
    let exitCode: Int32
    let sentence: String

    /// The tool itself failed: EX_SOFTWARE.
    static let internalExitCode: Int32 = 70

    /// A file or value given as input is bad: EX_DATAERR of sysexits.h.
    static func badInput(_ sentence: String) -> CommandFailure {
        CommandFailure(exitCode: badInputExitCode, sentence: sentence)
    }

    static let badInputExitCode: Int32 = 65

    /// A server, the system or a login does not provide what is needed: EX_UNAVAILABLE.
    static func unavailable(_ sentence: String) -> CommandFailure {
        CommandFailure(exitCode: unavailableExitCode, sentence: sentence)
    }

    static let unavailableExitCode: Int32 = 69

    /// The command line or a configuration file is wrong: EX_USAGE.
    static func usage(_ sentence: String) -> CommandFailure { CommandFailure(exitCode: 64, sentence: sentence) }

    /// An output file could not be written: EX_IOERR.
    static func output(_ sentence: String) -> CommandFailure {
        CommandFailure(exitCode: outputExitCode, sentence: sentence)
    }

    static let outputExitCode: Int32 = 74

    /// A listener could not be opened. The exit codes are those of the gate's own listeners.
    static func listening(at address: String, _ error: NetError, _ sentence: String) -> CommandFailure {
        CommandFailure(exitCode: GateError.listen(address, error).exitCode, sentence: sentence)
    }

    /// There is nothing to judge.
    static func nothing(_ sentence: String) -> CommandFailure { CommandFailure(exitCode: 3, sentence: sentence) }

    /// An error that should not happen.
    static func unexpected(_ sentence: String) -> CommandFailure {
        CommandFailure(exitCode: internalExitCode, sentence: sentence)
    }

    init(exitCode: Int32, sentence: String) {
        self.exitCode = exitCode
        self.sentence = sentence
    }

    /// Prints the sentence and ends the process.
    func end() -> Never {
        StandardError.printError(sentence)
        exit(exitCode)
    }

    /// The failure of a command that threw `error`; nil for an error of the parser, and for an exit code.
    init?(of error: any Error) {
        switch error {
        case let failure as CommandFailure: self = failure
        case let error as StoreError: self.init(error)
        case let failure as SetupFailure: self.init(failure)
        default: return nil
        }
    }

    init(_ error: GateError) {
        self.init(exitCode: error.exitCode, sentence: error.sentence)
    }

    init(_ error: StoreError) {
        // The description may contain names from files.
        var words = "\(error)".printable
        if case .missing = error { words += "; atsgate proxy and atsgate run create it" }
        if case .cannotOpen = error { words += "; --store FILE uses another file" }
        switch error {
        case .unreachable, .missingLibrary, .notAllowed, .notInitialised, .refused: self = .unavailable(words)
        case .otherKind: self = .usage(words)
        case .notADatabase, .foreignDatabase, .notAFile, .foreignTables, .damaged, .inUse, .otherVersion,
            .missing, .missingFolder, .cannotOpen, .nameTaken, .notOneRecording, .badLine, .unreadableRecord:
            self = error.isBadInput ? .badInput(words) : .output(words)
        }
    }
}

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
