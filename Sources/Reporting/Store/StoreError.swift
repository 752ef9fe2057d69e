/// The reason why a store cannot be used. Commands exit with 65 for a file of another kind, and with 69 if a shared
/// store is unreachable or not up to date. The code is 64 for an operation that this kind of store does not support,
/// and 74 otherwise.
public enum StoreError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The file exists but is not an SQLite database.
    case notADatabase(path: String)
    /// The file is an SQLite database of another program.
    case foreignDatabase(path: String)
    /// The path names a folder, a pipe or a device.
    case notAFile(path: String)
    /// The file is marked as a store but has other tables, a view or a trigger.
    case foreignTables(path: String)
    /// The file's content is inconsistent, according to SQLite or to atsgate.
    case damaged(path: String, cause: String)
    /// Another gate or command has the file open.
    case inUse(path: String)
    /// The file was written by another version of atsgate, whose tables have the number `found`.
    case otherVersion(path: String, found: Int64)
    /// The file does not exist.
    case missing(path: String)
    /// The folder for the file does not exist.
    case missingFolder(path: String, folder: String)
    /// The file cannot be opened or created.
    case cannotOpen(path: String, cause: String)
    /// Another recording already has the new name.
    case nameTaken(path: String, name: String)
    /// One new name was given, but the file has several recordings, or none.
    case notOneRecording(path: String, count: Int)
    /// A shared store does not answer, or no longer does.
    case unreachable(path: String, cause: String)
    /// A library that is needed to reach a shared store is not installed.
    case missingLibrary(cause: String)
    /// A shared store does not permit this to the login.
    case notAllowed(path: String, cause: String)
    /// The database has no shared store yet, or one that is not up to date.
    case notInitialised(path: String, cause: String)
    /// A shared store rejected a query.
    case refused(path: String, cause: String)
    /// The operation works only on files, or only on shared stores.
    case otherKind(path: String, cause: String)
    /// A line of an exchanged recording is not as atsgate writes it.
    case badLine(path: String, line: Int, cause: String)
    /// A row's JSON cannot be decoded.
    case unreadableRecord(id: String, cause: String)

    public var description: String {
        switch self {
        case .notADatabase(let path): "\(path) is not a database"
        case .foreignDatabase(let path): "\(path) is a database of another program, not an atsgate store"
        case .notAFile(let path): "\(path) is not a regular file, so it cannot be a store"
        case .foreignTables(let path): "the tables in \(path) are not those of an atsgate store"
        case .damaged(let path, let cause): "\(path) is damaged: \(cause)"
        case .inUse(let path): "\(path) is in use by another gate or command; stop that first"
        case .otherVersion(let path, let found):
            "\(path) is a store of version \(found), but this atsgate needs version \(StoreSchema.version): "
                + "use the atsgate that wrote it, or name another file with --store"
        case .missingFolder(let path, let folder):
            "cannot create the store \(path): there is no folder \(folder)"
        case .missing(let path): "there is no store at \(path)"
        case .cannotOpen(let path, let cause): "cannot open the store \(path): \(cause)"
        case .nameTaken(let path, let name): "\(path) already has a recording \(name); choose another name with --as"
        case .notOneRecording(let path, let count): "\(path) has \(count) recordings; --as works with exactly one"
        case .unreachable(let path, let cause), .notAllowed(let path, let cause),
            .notInitialised(let path, let cause), .refused(let path, let cause), .otherKind(let path, let cause):
            "\(path): \(cause)"
        case .badLine(let path, let line, let cause): "\(path):\(line): \(cause)"
        case .missingLibrary(let cause): cause
        case .unreadableRecord(let id, let cause): "record \(id) cannot be read: \(cause)"
        }
    }

    /// True if the user named a file that is not an atsgate store, or not a usable one.
    public var isBadInput: Bool {
        switch self {
        case .notADatabase, .notAFile, .foreignDatabase, .foreignTables, .damaged, .otherVersion,
            .missing, .missingFolder, .nameTaken, .notOneRecording, .badLine, .unreadableRecord:
            true
        case .cannotOpen, .inUse, .notInitialised, .unreachable, .missingLibrary, .notAllowed, .refused, .otherKind:
            false
        }
    }
}
