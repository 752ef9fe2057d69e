import ArgumentParser

/// `--help-all`: every option, under the titles of its sections. `--help` shows the few used most.
enum FullHelp {
    /// Whether ArgumentParser is to see all options as worth showing: for the full help, and for completions.
    @TaskLocal static var isShown = false

    /// Whether options are told of and not parsed.
    @TaskLocal static var isTold = false

    static let name = "help-all"

    /// For `--help` to tell of.
    static var argument: any Sendable {
        Flag(wrappedValue: false, name: .customLong(name), help: "Show every option.")
    }

    /// The help that the arguments ask for; nil when they do not.
    static func text(for arguments: [String], of root: any ParsableCommand.Type) -> String? {
        let words = arguments.prefix { $0 != "--" }
        guard words.contains("--" + name) else { return nil }
        let commands = root.configuration.subcommands
        let named = commands.first { $0.configuration.commandName == words.first }
        guard let command = named ?? root.configuration.defaultSubcommand else { return nil }
        return $isShown.withValue(true) { help(of: command, under: root) }
    }

    private static func help<Root: ParsableCommand>(
        of command: any ParsableCommand.Type, under root: Root.Type
    ) -> String {
        Root.helpMessage(for: command)
    }
}
