/// Runs commands of the system. Everything that changes a machine goes through one of these.
public protocol CommandRunner: Sendable {
    /// - Parameters:
    ///   - command: the program's name, then its arguments; never read by a shell.
    ///   - input: what it finds on standard input, 60,000 bytes at most.
    func run(_ command: [String], input: String) -> CommandOutcome
}

extension CommandRunner {
    func run(_ command: [String]) -> CommandOutcome { run(command, input: "") }
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
        // What pfctl of macOS always says comes before what is wrong (observed in many reports of its syntax errors).
        let always = "ALTQ related functions disabled\n"
        let fault = complaint.split(separator: always, omittingEmptySubsequences: false).last ?? ""
        // What wireguard-go prints in a frame is no fault.
        let lines = (fault + "\n" + output).split(separator: "\n").filter { !"┌│└".contains($0.prefix(1)) }
        return lines.first.map(String.init) ?? "it ended with \(status)"
    }
}
