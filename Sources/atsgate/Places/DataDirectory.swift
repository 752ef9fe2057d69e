import Foundation

/// Where the local CA and the store live unless told otherwise.
enum DataDirectory {
    /// The directory's path, whether it is there or not.
    static var path: String {
        let environment = ProcessInfo.processInfo.environment
        return path(environment: environment, home: home(environment))
    }

    /// `$HOME` where it says something: the user's entry in the password file may be another, and in a container there
    /// is none.
    private static func home(_ environment: [String: String]) -> String {
        let home = environment["HOME", default: ""]
        return home.hasPrefix("/") ? home : NSHomeDirectory()
    }

    /// The store of records.
    static var storePath: String { path + "/records.sqlite" }

    /// The spool of a shared store.
    ///
    /// - Parameter store: what the store is called in names of files.
    static func spoolPath(_ store: String) -> String { "\(spools)/\(store).sqlite" }

    /// What a gate keeps of a dictionary of a shared store.
    ///
    /// - Parameters:
    ///   - store: as for ``spoolPath(_:)``.
    ///   - policy: its name, and its version where a gate asks for that one alone.
    static func policyPath(_ store: String, _ policy: String) -> String { "\(spools)/\(store).\(policy).policy" }

    /// The directory of all spools.
    static var spools: String { path + "/spool" }

    /// Makes the directory of spools, too.
    static func prepareSpools() throws {
        try prepare()
        try prepare(spools)
    }

    /// Makes the directory for this user alone: records tell what an app loads.
    static func prepare() throws { try prepare(path) }

    private static func prepare(_ path: String) throws {
        guard access(path, F_OK) != 0 else { return }
        do {
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw CommandFailure.output("\(path) cannot be made: \(error.systemWords)")
        }
    }
}

extension DataDirectory {
    /// Where the keys of a tunnel are, each for one device.
    static var tunnelKeys: String { path + "/wireguard" }
}
