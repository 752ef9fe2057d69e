import Foundation
import Processes

/// The installed PostgreSQL, and the user for its server.
struct ServerSystem {
    let folder: String
    /// nil for the user of the tests. For root another user is needed, because PostgreSQL refuses to run as root.
    let user: (name: String, id: uid_t, group: gid_t)?

    /// - Throws: ``TestFailure`` if it is not installed.
    init() throws {
        guard let folder = Self.folders.first(where: { FileManager.default.isExecutableFile(atPath: $0 + "/initdb") })
        else {
            throw TestFailure(description: "PostgreSQL is not installed; .ci/install.sh fleet installs it")
        }
        self.folder = folder
        guard geteuid() == 0 else {
            user = nil
            return
        }
        let names = ["postgres", "_postgres", "nobody"]
        user =
            names.lazy.compactMap { name in
                getpwnam(name).map { (name, $0.pointee.pw_uid, $0.pointee.pw_gid) }
            }.first
    }

    /// The folders in which system packages and `.ci/install.sh fleet` install the server's programs, the newest first.
    private static var folders: [String] {
        let unpacked = FileManager.default.currentDirectoryPath + "/.build/postgresql"
        let versions = (15...30).reversed()
        let path = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map { String($0) }
        return versions.flatMap { version in ["", unpacked].map { "\($0)/usr/lib/postgresql/\(version)/bin" } }
            + versions.map { "/usr/pgsql-\($0)/bin" }
            + ["/opt/homebrew", "/usr/local"].flatMap { brew in versions.map { "\(brew)/opt/postgresql@\($0)/bin" } }
            + path
    }

    /// The command line that starts a program as that user.
    func words(_ program: String, _ arguments: [String]) -> [String] {
        let words = ["\(folder)/\(program)"] + arguments
        guard let user else { return words }
        #if canImport(Darwin)
        return ["/usr/bin/sudo", "-u", user.name] + words
        #else
        return ["/usr/bin/setpriv", "--reuid=\(user.id)", "--regid=\(user.group)", "--clear-groups"] + words
        #endif
    }

    /// Makes the data of a server, or copies those of a running one for its replica.
    func makeData(in folder: ServerFolder, copying original: PostgresServer?) throws {
        if let original {
            try run(
                "pg_basebackup",
                [
                    "--pgdata", folder.path("data"), "--host", original.folder.path, "--port", "\(original.port)",
                    "--username", "postgres", "--write-recovery-conf", "--checkpoint", "fast", "--no-sync",
                ])
        } else {
            try run(
                "initdb",
                [
                    "--pgdata", folder.path("data"), "--username", "postgres", "--pwfile", folder.path("password"),
                    "--auth-host", "scram-sha-256", "--auth-local", "trust", "--encoding", "UTF8", "--no-locale",
                    "--no-sync",
                ])
        }
    }

    /// Runs a program to its end.
    func run(_ program: String, _ arguments: [String]) throws { try Self.run(words(program, arguments)) }

    /// - Throws: ``TestFailure`` with the output if it fails.
    static func run(_ words: [String]) throws {
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = words
        process.currentDirectoryURL = URL(fileURLWithPath: "/")
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = output
        try process.begin()
        let said = output.fileHandleForReading.readDataToEndOfFile()
        process.waitForEnd()
        guard process.terminationStatus == 0 else {
            throw TestFailure(description: "\(words[0]): \(String(decoding: said, as: UTF8.self))")
        }
    }

    /// A process and its direct children.
    static func family(of process: Int32) -> [Int32] {
        #if canImport(Darwin)
        let output = Pipe()
        let ps = Process()
        ps.executableURL = URL(fileURLWithPath: "/bin/ps")
        ps.arguments = ["-A", "-o", "pid=", "-o", "ppid="]
        ps.standardOutput = output
        guard (try? ps.begin()) != nil else { return [process] }
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        let pairs = text.split(separator: "\n").map { $0.split(separator: " ").compactMap { Int32($0) } }
        #else
        let all = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        let pairs = all.compactMap { Int32($0) }.map { one -> [Int32] in
            // Source: proc(5), /proc/PID/stat: the name is in parentheses, then state and parent.
            let stat = (try? String(contentsOfFile: "/proc/\(one)/stat", encoding: .utf8)) ?? ""
            let fields = stat.split(separator: ")").last?.split(separator: " ") ?? []
            return fields.count > 1 ? [one, Int32(fields[1]) ?? 0] : []
        }
        #endif
        return [process] + pairs.filter { $0.count == 2 && $0[1] == process }.map { $0[0] }
    }
}
