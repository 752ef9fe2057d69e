import Files
import Foundation

/// The default folder of the local CA and the store.
enum DataDirectory {
    /// The directory's path, even if it does not exist.
    static var path: String {
        let environment = ProcessInfo.processInfo.environment
        let base = environment["XDG_DATA_HOME", default: ""]
        return (base.hasPrefix("/") ? base : home(environment) + usualFolder) + "/atsgate"
    }

    #if canImport(Darwin)
    /// Source: Apple, File System Programming Guide, "macOS Library Directory Details". As on Linux, an absolute
    /// XDG_DATA_HOME has priority, so that scripts and tests can give each gate its own files.
    private static let usualFolder = "/Library/Application Support"
    #else
    /// Source: XDG Base Directory Specification 0.8; a relative XDG_DATA_HOME must be ignored.
    private static let usualFolder = "/.local/share"
    #endif

    /// `$HOME` if it is a path. The password file may have another entry for the user, or none in a container.
    private static func home(_ environment: [String: String]) -> String {
        let home = environment["HOME", default: ""]
        return home.hasPrefix("/") ? home : NSHomeDirectory()
    }

    /// The store of records.
    static var storePath: String { path + "/records.sqlite" }

    /// The spool of a shared store.
    ///
    /// - Parameter store: the store's id in names of files.
    static func spoolPath(_ store: String) -> String { "\(spools)/\(store).sqlite" }

    /// A gate's copy of a dictionary of a shared store.
    ///
    /// - Parameters:
    ///   - store: as for ``spoolPath(_:)``.
    ///   - policy: its name, and its version if a gate enforces only that one.
    static func policyPath(_ store: String, _ policy: String) -> String { "\(spools)/\(store).\(policy).policy" }

    /// The directory of all spools.
    static var spools: String { path + "/spool" }

    /// Also creates the directory of spools.
    static func prepareSpools() throws {
        try prepare()
        try prepare(spools)
    }

    /// Creates the directory, readable only by this user, because records show what an app loads.
    static func prepare() throws { try prepare(path) }

    private static func prepare(_ path: String) throws {
        do throws(FileFault) { try OutputFile.makeFolder(path) } catch {
            throw CommandFailure.output("\(path) cannot be created: \(error)" + advice)
        }
    }

    /// The options that use other places, for errors about this one.
    static let advice = "; use --ca-dir FOLDER and --store FILE, or set XDG_DATA_HOME, to use another place"
}

extension DataDirectory {
    /// The folder with the keys of a tunnel, one for each device.
    static var tunnelKeys: String { path + "/wireguard" }
}
