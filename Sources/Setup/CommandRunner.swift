/// Runs commands of the system. Everything that needs macOS goes through one of these.
public protocol CommandRunner: Sendable {
    /// - Parameter command: the program's name, then its arguments; never read by a shell.
    func run(_ command: [String]) -> CommandOutcome
}

/// What a command said before it ended.
public struct CommandOutcome: Sendable, Hashable {
    /// 127 where there is no such program.
    public var status: Int32
    public var output: String
    /// What stood on standard error.
    public var complaint: String

    public init(status: Int32 = 0, output: String = "", complaint: String = "") {
        self.status = status
        self.output = output
        self.complaint = complaint
    }

    /// Why it failed, in its own first line; some commands complain on standard output.
    var reason: String {
        let lines = (complaint + "\n" + output).split(separator: "\n")
        return lines.first.map(String.init) ?? "it ended with \(status)"
    }
}
