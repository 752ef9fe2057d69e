import ArgumentParser
import Foundation
import Reporting
import Text

/// The command line. Parses arguments, merges the configuration file, runs the command and maps failures to exit codes.
@main
struct ATSGate: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "atsgate",
        abstract: "Enforces an app's App Transport Security dictionary on live HTTP and HTTPS traffic.",
        discussion: """
            Point a simulator, a test device or a command at the gate. It blocks the loads that a device would block, \
            with the same error and console lines, and names the rule, the plist key and the smallest fix.

            First minutes:
              atsgate demo
              atsgate proxy --policy MyApp.app
              curl -x http://127.0.0.1:9802 http://example.com/
              atsgate run --policy Info.plist -- curl https://example.com/
              atsgate explain --policy Info.plist http://example.com/
              atsgate probe --policy Info.plist https://example.com/
              atsgate lint MyApp.app
              atsgate audit MyApp.ipa
              atsgate replay --policy Next.plist
              atsgate suggest --policy Info.plist

            Exit codes: 0 clean; 1 blocked loads, or a failed check; 2 a check was incomplete; 3 nothing to judge; 64 \
            usage; 65 bad input file; 69 port in use, or a server or the system not available; 70 atsgate itself \
            failed; 74 output could not be written.
            """,
        version: toolVersion,
        subcommands: [
            ProxyCommand.self, RunCommand.self, ExplainCommand.self, ProbeCommand.self, LintCommand.self,
            AuditCommand.self, ReplayCommand.self, SuggestCommand.self, EvidenceCommand.self, ReportCommand.self,
            VerifyCommand.self,
            WatchCommand.self,
            RecordingsCommand.self, StoreCommand.self, PolicyCommand.self, ShipCommand.self,
            CACommand.self, SetupCommand.self, DoctorCommand.self, UninstallCommand.self, LabCommand.self,
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
            let arguments = ExplainCommand.readable(Array(CommandLine.arguments.dropFirst()))
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
            let isForShell = arguments.contains { $0.hasPrefix("--generate-completion-script") }
            var command = try FullHelp.$isShown.withValue(isForShell) { try parseAsRoot(arguments) }
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
                // The dump for the manual contains every option, under its section's title.
                let isForManual = CommandLine.arguments.contains("--experimental-dump-help")
                FullHelp.$isShownOnly.withValue(true) {
                    FullHelp.$isShown.withValue(isForManual) { exit(withError: error) }
                }
            }
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
        let hint = word.nearest(among: names).map { "did you mean \(outer)\($0)?" }
        throw CommandFailure.usage(
            "unknown command \(outer)\(word); " + (hint ?? "commands: \(names.joined(separator: ", "))"))
    }
}
