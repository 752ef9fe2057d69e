/// Why a store cannot be used. The command exits 65 for a file of another kind, 69 where a shared store is not to be
/// reached or not up to date, 64 where it is asked for what another kind of store alone can do, 74 otherwise.
public enum StoreError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The file is there and is no SQLite database.
    case notADatabase(path: String)
    /// The file is an SQLite database of another program.
    case foreignDatabase(path: String)
    /// A folder, a pipe or a device.
    case notAFile(path: String)
    /// The file says that it is a store, and has other tables, a view or a trigger.
    case foreignTables(path: String)
    /// What SQLite, or the program, found of the file makes no sense.
    case damaged(path: String, cause: String)
    /// Another gate, or another command, works on the file.
    case inUse(path: String)
    /// The file was written by a newer atsgate.
    case newerVersion(path: String)
    /// The file was written by an older atsgate, and no gate of this version has opened it yet.
    case olderVersion(path: String)
    /// There is no file.
    case missing(path: String)
    /// There is no folder to make the file in.
    case missingFolder(path: String, folder: String)
    /// The file cannot be opened or made.
    case cannotOpen(path: String, cause: String)
    /// Another recording has the name that one is to be given.
    case nameTaken(path: String, name: String)
    /// A new name is for one recording, and the file has more, or none.
    case notOneRecording(path: String, count: Int)
    /// Nobody answers for a shared store, or not any more.
    case unreachable(path: String, cause: String)
    /// What is needed to reach a shared store is not on this machine.
    case missingLibrary(cause: String)
    /// A shared store does not let this login do it.
    case notAllowed(path: String, cause: String)
    /// There is no shared store in the database yet, or it is not up to date.
    case notInitialised(path: String, cause: String)
    /// A shared store has refused a question.
    case refused(path: String, cause: String)
    /// It can be done to a file alone, or to a shared store alone.
    case otherKind(path: String, cause: String)
    /// A row's JSON cannot be read back.
    case unreadableRecord(id: String, cause: String)

    public var description: String {
        switch self {
        case .notADatabase(let path): "\(path) is not a database"
        case .foreignDatabase(let path): "\(path) is a database of another program, not an atsgate store"
        case .notAFile(let path): "\(path) is no regular file, so it is no store"
        case .foreignTables(let path): "the tables in \(path) are not those of an atsgate store"
        case .damaged(let path, let cause): "\(path) is damaged: \(cause)"
        case .inUse(let path): "\(path) is in use by another gate or command, which has to end first"
        case .newerVersion(let path): "\(path) was written by a newer version of atsgate"
        case .olderVersion(let path):
            "\(path) was written by an older version of atsgate; a gate that records into it brings it up to date"
        case .missingFolder(let path, let folder):
            "the store \(path) cannot be made: there is no folder \(folder)"
        case .missing(let path): "there is no store at \(path)"
        case .cannotOpen(let path, let cause): "cannot open the store \(path): \(cause)"
        case .nameTaken(let path, let name): "\(path) has a recording \(name) already; give it another name with --as"
        case .notOneRecording(let path, let count): "\(path) has \(count) recordings, and one name is not enough"
        case .unreachable(let path, let cause), .notAllowed(let path, let cause),
            .notInitialised(let path, let cause), .refused(let path, let cause), .otherKind(let path, let cause):
            "\(path): \(cause)"
        case .missingLibrary(let cause): cause
        case .unreadableRecord(let id, let cause): "record \(id) cannot be read: \(cause)"
        }
    }

    /// True where the user named a file that is no store of ours.
    public var isBadInput: Bool {
        switch self {
        case .notADatabase, .notAFile, .foreignDatabase, .foreignTables, .damaged, .newerVersion, .olderVersion,
            .missing, .missingFolder, .nameTaken, .notOneRecording, .unreadableRecord:
            true
        case .cannotOpen, .inUse, .notInitialised, .unreachable, .missingLibrary, .notAllowed, .refused, .otherKind:
            false
        }
    }
}
