import Foundation
import NetLoop

/// A command that runs for the user, in this process's group and on its terminal, as a shell runs one. With streams of
/// its own it is a part of this program.
///
/// Not `Foundation.Process`, which gives the child its own process group: a terminal's Ctrl-C would not reach it, and
/// reading from the terminal would stop it.
struct ChildProcess: Sendable {
    let processID: pid_t

    /// A process that was started elsewhere in the same way.
    init(processID: pid_t) { self.processID = processID }

    /// The reason why a command could not be started; the status is that of a POSIX shell (XCU 2.8.2).
    struct SpawnFailure: Error {
        let name: String
        let errno: Int32

        var exitStatus: Int32 { errno == ENOENT ? 127 : 126 }
        var sentence: String { "\(name) cannot be run: \(String(cString: strerror(errno)))" }
    }

    /// Starts `command`, found through PATH.
    ///
    /// - Parameter streams: descriptors that become its standard input, output and error; nil for this process's own.
    init(
        _ command: [String], environment: [String: String], streams: [Int32]? = nil
    ) throws(SpawnFailure) {
        var attributes = emptySpawnAttributes()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // The child must not inherit signals that the gate ignores or blocks for itself.
        var none = sigset_t()
        sigemptyset(&none)
        var ordinary = sigset_t()
        sigemptyset(&ordinary)
        for number in Self.forwarded + [SIGPIPE] { sigaddset(&ordinary, number) }
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setsigdefault(&attributes, &ordinary)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK) | Int16(POSIX_SPAWN_SETSIGDEF))
        var actions = emptySpawnActions()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for (place, descriptor) in (streams ?? []).enumerated() {
            posix_spawn_file_actions_adddup2(&actions, descriptor, Int32(place))
        }
        let arguments = CStrings(command)
        let variables = CStrings(environment.map { "\($0.key)=\($0.value)" })
        var processID: pid_t = 0
        let code = CoreDumps.withInheritedLimit {
            posix_spawnp(
                &processID, command.first ?? "", &actions, &attributes, arguments.pointers, variables.pointers)
        }
        guard code == 0 else { throw SpawnFailure(name: command.first ?? "", errno: code) }
        self.processID = processID
    }

    /// Signals that are passed on to the child.
    static let forwarded = [SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2]

    /// Passes a signal on, unless the terminal has also sent it to the child: a second one would have another meaning.
    func forward(_ number: Int32) {
        let isFromKeyboard = number == SIGINT || number == SIGQUIT
        guard !isFromKeyboard || tcgetpgrp(STDIN_FILENO) != getpgrp() else { return }
        kill(processID, number)
    }

    /// Waits for the end. Blocks: only for a thread that may.
    ///
    /// - Returns: The exit status, or 128 plus the number of the signal that ended it, as in shells.
    func wait() -> Int32 {
        var status: Int32 = 0
        while waitpid(processID, &status, 0) < 0 {
            guard errno == EINTR else { return CommandFailure.internalExitCode }
        }
        // WIFEXITED, WEXITSTATUS and WTERMSIG are macros; both systems lay the number out like this.
        let signal = status & 0x7F
        return signal == 0 ? (status >> 8) & 0xFF : 128 + signal
    }
}

#if canImport(Darwin)
/// A pointer here, a structure on Linux.
private func emptySpawnAttributes() -> posix_spawnattr_t? { nil }

/// As above.
private func emptySpawnActions() -> posix_spawn_file_actions_t? { nil }
#else
/// A structure here, a pointer on macOS.
private func emptySpawnAttributes() -> posix_spawnattr_t { posix_spawnattr_t() }

/// As above.
private func emptySpawnActions() -> posix_spawn_file_actions_t { posix_spawn_file_actions_t() }
#endif

/// A null-terminated list of C strings that lives as long as this object.
private final class CStrings {
    let pointers: [UnsafeMutablePointer<CChar>?]

    init(_ texts: [String]) {
        pointers = texts.map { strdup($0) } + [nil]
    }

    deinit { pointers.forEach { free($0) } }
}
