import Foundation
import Processes
import TestSupport
import Testing

/// A system without /proc, as in rescue disks and incomplete chroots. Linux, and as root.
@Suite("A bare system", .enabled(if: BareSystem.isPossible, "needs root and mounts"), .timeLimit(.minutes(5)))
struct BareSystemTests {
    @Test(
        "without /proc arguments cannot be read, and no command runs, least of all a gate",
        arguments: [["--version"], ["explain", "http://example.com/"], []])
    func withoutArguments(arguments: [String]) throws {
        let (status, said) = try BareSystem.run([Program.path(of: "atsgate")] + arguments)
        #expect(status == 70)
        #expect(said.contains("cannot read the command line") && said.contains("/proc"))
    }
}

/// A mount namespace without /proc.
enum BareSystem {
    /// True if the system allows one.
    static let isPossible = (try? run(["true"]))?.status == 0

    /// Runs a program in it to its end.
    static func run(_ words: [String]) throws -> (status: Int32, said: String) {
        let folder = try Folder()
        let script = #"umount --lazy /proc && exec "$@""#
        let program = try Program(
            path: "/usr/bin/env", ["unshare", "--mount", "sh", "-c", script, "sh"] + words, in: folder)
        let status = program.wait()
        return (status, program.said)
    }
}
