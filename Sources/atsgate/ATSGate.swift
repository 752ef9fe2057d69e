import ArgumentParser
import Foundation
import Text

/// The command line: parses, lays a configuration file under it, runs, and turns failures into exit codes.
@main
struct ATSGate: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "atsgate",
        abstract: "Enforces an app's App Transport Security dictionary on live HTTP and HTTPS traffic.",
        discussion: """
            Point a simulator, a test device or a command at the gate: loads that a device would refuse are refused, \
            with the error and the console lines that the device would show, the rule and plist key that decided, and \
            the smallest change that would fix it.

            First minutes:
              atsgate demo
              atsgate proxy --policy MyApp.app
              curl -x http://127.0.0.1:9802 http://example.com/
              atsgate run --policy Info.plist -- curl https://example.com/
              atsgate explain --policy Info.plist http://example.com/
              atsgate probe --policy Info.plist https://example.com/
              atsgate lint MyApp.app
              atsgate replay --policy Next.plist
              atsgate suggest --policy Info.plist

            Exit codes: 0 clean; 1 policy violated; 2 atsgate itself failed; 3 nothing to judge; 64 usage; 65 a file given as input is \
            bad; 69 the port is in use, or a server or the system cannot do it; 74 a record, a report or another output file could not be written.
            """,
        version: toolVersion,
        subcommands: [
            ProxyCommand.self, RunCommand.self, ExplainCommand.self, ProbeCommand.self, LintCommand.self,
            ReplayCommand.self, SuggestCommand.self, EvidenceCommand.self, ReportCommand.self, WatchCommand.self,
            RecordingsCommand.self, StoreCommand.self, PolicyCommand.self, ShipCommand.self,
            CACommand.self, SetupCommand.self, DoctorCommand.self, UninstallCommand.self, LabCommand.self,
            DemoCommand.self,
        ],
        defaultSubcommand: ProxyCommand.self)

    static func main() {
        guard CommandLine.argc > 0 else {
            StandardError.complain(
                "the arguments cannot be read, so nothing is started: /proc is not mounted, where Swift finds them")
            Foundation.exit(CommandFailure.internalExitCode)
        }
        do {
            let arguments = ExplainCommand.readable(Array(CommandLine.arguments.dropFirst()))
            guard !Beginning.isWanted(for: arguments) else {
                return try Output.withOutput(to: nil) { try $0.write(Array(Beginning.text.utf8)) }
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
            if ReadStores.tellDamage() { Foundation.exit(CommandFailure.badInputExitCode) }
        } catch let failure as CommandFailure {
            _ = ReadStores.tellDamage()
            StandardError.complain(failure.sentence)
            Foundation.exit(failure.exitCode)
        } catch let code as ExitCode {
            let isIncomplete = ReadStores.tellDamage()
            Foundation.exit(isIncomplete && code == .success ? CommandFailure.badInputExitCode : code.rawValue)
        } catch {
            switch exitCode(for: error) {
            case .validationFailure:
                UsageWords(error, of: self).lines.forEach(StandardError.say)
                Foundation.exit(ExitCode.validationFailure.rawValue)
            // EXIT_FAILURE would say that the policy was violated.
            case .failure:
                StandardError.complain(message(for: error))
                Foundation.exit(CommandFailure.internalExitCode)
            default:
                // What the manual is made of has every option, under the title of its section.
                let isForManual = CommandLine.arguments.contains("--experimental-dump-help")
                FullHelp.$isTold.withValue(true) {
                    FullHelp.$isShown.withValue(isForManual) { exit(withError: error) }
                }
            }
        }
    }

    /// A first word that is no command would be taken for an argument of `proxy`, which has none; the second of `ca` and
    /// its like for one of theirs.
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
            "there is no command \(outer)\(word); " + (hint ?? "there are \(names.joined(separator: ", "))"))
    }
}
