import Foundation

/// The work that a run did with its gate: the command that ended, or none.
struct RunWork {
    /// The exit code of the work, as a shell reports it; 0 without a command.
    var status: Int32 = 0
    /// The command; nil without one.
    var command: String?
    /// False if the command's process could not be started.
    var isStarted = true

    /// The last line of a run whose command failed. `make` ends with 2 and curl with 1 to 101, which are also codes of
    /// atsgate.
    ///
    /// - Parameters:
    ///   - own: the exit code of atsgate if the command had ended with 0.
    ///   - isAccepting: true if a baseline accepts loads that the gate blocked.
    /// - Returns: nil without a command.
    func notice(own: Int32, isAccepting: Bool) -> String? {
        guard let command, status != 0 else { return nil }
        let name = URL(fileURLWithPath: command).lastPathComponent
        guard isStarted else { return "atsgate: exit code \(status): \(name) was not started" }
        return "atsgate: exit code \(status) is from \(name)" + (own == 0 ? "" : "; from atsgate it would be \(own)")
            + (isAccepting ? "; the gate blocked loads: --mode audit lets those of a baseline pass" : "")
    }
}
