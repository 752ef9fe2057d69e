#if os(Linux)
import Foundation
import Processes

/// A file system of 200 kB at `disk` in a folder, in its own mount namespace.
enum SmallDisk {
    /// True if the system allows one.
    static let isPossible = (try? run("true", in: Folder()))?.status == 0

    /// Runs a script of sh with the file system as the place of the user's files. The program is `$ATSGATE`.
    static func run(_ script: String, in folder: Folder) throws -> Binary.Outcome {
        let files = ["out", "err"].map { folder.url.appending(path: UUID().uuidString + "." + $0) }
        for file in files { try Data().write(to: file) }
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        let mount = "mkdir -p disk && mount -t tmpfs -o size=200k tmpfs disk || exit 1"
        process.arguments = ["unshare", "--mount", "sh", "-c", mount + "\n" + script]
        process.currentDirectoryURL = folder.url
        process.environment = ProcessInfo.processInfo.environment.merging(
            ["ATSGATE": Binary.path, "XDG_DATA_HOME": folder.path("disk")]) { $1 }
        process.standardOutput = try FileHandle(forWritingTo: files[0])
        process.standardError = try FileHandle(forWritingTo: files[1])
        try process.begin()
        process.waitForEnd()
        return Binary.Outcome(
            status: process.terminationStatus, output: try String(contentsOf: files[0], encoding: .utf8),
            prose: try String(contentsOf: files[1], encoding: .utf8))
    }
}
#endif
