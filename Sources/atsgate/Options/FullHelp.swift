import ArgumentParser

/// `--help-all` shows every option, with the titles of sections. `--help` shows the few used most.
enum FullHelp {
    /// True if ArgumentParser must show all options: for the full help, and for completions.
    @TaskLocal static var isShown = false

    /// True if options are only shown, and not parsed.
    @TaskLocal static var isShownOnly = false

    static let name = "help-all"

    /// The option, for `--help` to show.
    static var argument: any Sendable {
        Flag(wrappedValue: false, name: .customLong(name), help: "Show every option.")
    }

    /// The full help; nil if the arguments do not request it.
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
