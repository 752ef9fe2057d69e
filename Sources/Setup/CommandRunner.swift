/// Runs commands of the system. Every change to the machine goes through a runner.
public protocol CommandRunner: Sendable {
    /// - Parameters:
    ///   - command: the program's name, then its arguments; no shell interprets them.
    ///   - input: its standard input, 60,000 bytes at most.
    func run(_ command: [String], input: String) -> CommandOutcome
}

extension CommandRunner {
    func run(_ command: [String]) -> CommandOutcome { run(command, input: "") }
}

/// The result of a command.
public struct CommandOutcome: Sendable, Hashable {
    /// 127 if the program does not exist.
    public var status: Int32
    public var output: String
    /// The text on standard error.
    public var complaint: String

    public init(status: Int32 = 0, output: String = "", complaint: String = "") {
        self.status = status
        self.output = output
        self.complaint = complaint
    }

    /// The first line of its error text, as the reason of a failure; some commands print errors on standard output.
    var reason: String {
        // wireguard-go prints a framed notice, which is not an error.
        let lines = (complaint + "\n" + output).split(separator: "\n").filter { !"┌│└".contains($0.prefix(1)) }
        return lines.first.map(String.init) ?? "exit status \(status)"
    }
}
