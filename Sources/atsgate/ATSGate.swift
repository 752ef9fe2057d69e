import ArgumentParser
import Foundation
import Reporting
import Text

/// The command line. Parses arguments, merges the configuration file, runs the command and maps failures to exit codes.
@main
struct ATSGate: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "atsgate",
        abstract: "Enforces an app's ATS dictionary on live HTTP and HTTPS loads.",
        discussion: """
            First minutes:
              atsgate demo
              atsgate run --policy Info.plist -- curl https://example.com/
              atsgate explain -1200
            """,
        version: toolVersion,
        subcommands: [
            ProxyCommand.self, RunCommand.self, ExplainCommand.self, ProbeCommand.self, LintCommand.self,
            AuditCommand.self, ReplayCommand.self, SuggestCommand.self, EvidenceCommand.self, ReportCommand.self,
            VerifyCommand.self,
            WatchCommand.self,
            RecordingsCommand.self, StoreCommand.self, PolicyCommand.self,
            CACommand.self, SetupCommand.self, DoctorCommand.self, LabCommand.self,
            DemoCommand.self, MCPCommand.self,
        ],
        defaultSubcommand: ProxyCommand.self)

    static func main() {
        guard CommandLine.argc > 0 else {
            StandardError.printError(
                "cannot read the command line: /proc is not mounted")
            Foundation.exit(CommandFailure.internalExitCode)
        }
        do {
            let arguments = ExplainCommand.readable(ReadingOptions.current(Array(CommandLine.arguments.dropFirst())))
            guard !arguments.isEmpty else {
                StandardError.write(BareCommandText.text)
                Foundation.exit(ExitCode.validationFailure.rawValue)
            }
            if let text = VersionReport.text(for: arguments) {
                return try Output.withOutput(to: nil) { try $0.write(Array(text.utf8)) }
            }
            try refuseUnknownCommand(arguments)
            if let help = FullHelp.text(for: arguments, of: self) {
                return try Output.withOutput(to: nil) { try $0.write(Array((help + "\n").utf8)) }
            }
            var command = try parseAsRoot(ConfiguredArguments.added(to: arguments, of: self))
            try command.run()
        } catch let code as ExitCode {
            Foundation.exit(code.rawValue)
        } catch {
            if let failure = CommandFailure(of: error) { failure.end() }
            switch exitCode(for: error) {
            case .validationFailure:
                UsageErrorText(error, of: self).lines.forEach(StandardError.writeLine)
                Foundation.exit(ExitCode.validationFailure.rawValue)
            // EXIT_FAILURE is 1, which means a policy violation.
            case .failure:
                StandardError.printError(message(for: error))
                Foundation.exit(CommandFailure.internalExitCode)
            default:
                // The dump for the manual, and completions, contain every option.
                let isWhole = CommandLine.arguments.contains {
                    $0.hasPrefix("--experimental-dump-help") || $0.hasPrefix("--generate-completion-script")
                }
                guard isWhole else { return printHelp(fullMessage(for: error)) }
                FullHelp.$isShown.withValue(true) { exit(withError: error) }
            }
        }
    }

    /// Prints help, and ends with 74 if it could not be written.
    private static func printHelp(_ text: String) {
        do {
            let text = FullHelp.short(text) ?? text
            try Output.withOutput(to: nil) { try $0.write(Array((text + "\n").utf8)) }
        } catch {
            (error as? CommandFailure ?? .output("\(error)")).end()
        }
    }

    /// Rejects an unknown command. Otherwise the parser would report it as an argument of `proxy`, or of a group such
    /// as `ca`.
    private static func refuseUnknownCommand(_ arguments: [String]) throws(CommandFailure) {
        let commands = configuration.subcommands
        try refuse(arguments.first, unlessOneOf: commands, of: "")
        if arguments.first == "help" { return try refuseUnknownCommand(Array(arguments.dropFirst())) }
        guard let command = commands.first(where: { $0.configuration.commandName == arguments.first }) else { return }
        let inner = command.configuration.subcommands
        if !inner.isEmpty { try refuse(arguments.dropFirst().first, unlessOneOf: inner, of: "\(arguments[0]) ") }
    }

    private static func refuse(
        _ word: String?, unlessOneOf commands: [any ParsableCommand.Type], of outer: String
    ) throws(CommandFailure) {
        let names = commands.compactMap { $0.configuration.commandName } + ["help"]
        guard let word, !word.hasPrefix("-"), !names.contains(word) else { return }
        if let successor = FormerCommands.successors[outer + word] {
            throw CommandFailure.usage("\(outer)\(word) is now: \(successor)")
        }
        let near = word == "version" ? "--version" : word.nearest(among: names).map { outer + $0 }
        let shown = commands.filter { $0.configuration.shouldDisplay }.compactMap { $0.configuration.commandName }
        throw CommandFailure.usage(
            "unknown command \(outer)\(word); "
                + (near.map { "did you mean \($0)?" } ?? "commands: \(shown.joined(separator: ", ")), help"))
    }
}
