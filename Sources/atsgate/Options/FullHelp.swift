import ArgumentParser

/// `--help` shows the options used most on one screen. `--help-hidden` shows every option, with details.
enum FullHelp {
    /// True if ArgumentParser must show all options: for the full help, completions and the manual.
    @TaskLocal static var isShown = false

    static let name = "--help-hidden"

    /// Another spelling, which no help lists.
    private static let otherName = "--help-all"

    /// The full help; nil if the arguments do not request it.
    static func text(for arguments: [String], of root: any ParsableCommand.Type) -> String? {
        let words = arguments.prefix { $0 != "--" }
        guard words.contains(name) || words.contains(otherName) else { return nil }
        let command = words.reduce((any ParsableCommand.Type)?.none) { found, word in
            let inner = (found ?? root).configuration.subcommands
            return inner.first { $0.configuration.commandName == word } ?? found
        }
        guard let command = command ?? root.configuration.defaultSubcommand else { return nil }
        return $isShown.withValue(true) { help(of: command, under: root) }
    }

    private static func help<Root: ParsableCommand>(
        of command: any ParsableCommand.Type, under root: Root.Type
    ) -> String {
        Root.helpMessage(for: command, includeHidden: true)
    }

    /// The help of a command without subcommands, shortened to the summary, the first paragraph below it, and a sentence
    /// for each option; nil for other texts.
    static func short(_ help: String) -> String? {
        guard help.hasPrefix("OVERVIEW: "), !help.contains("\nSUBCOMMANDS:"),
            let usage = help.firstRange(of: "\nUSAGE: ")
        else { return nil }
        let overview = help[..<usage.lowerBound].split(separator: "\n\n").prefix(2).joined(separator: "\n\n")
        // ArgumentParser indents details of an option by eight columns, and its sentences by 26.
        let rest = help[usage.lowerBound...].dropFirst().replacing(/(?: \[-[^\]]*\])+/, with: " [<options>]")
        let lines = rest.split(separator: "\n", omittingEmptySubsequences: false)
        let kept = lines.filter { !$0.hasPrefix(details) || $0.dropFirst(details.count).first == " " }
        return (overview + "\n\n" + kept.joined(separator: "\n")).replacing(ownHelp, with: hint + ownHelp)
    }

    private static let details = String(repeating: " ", count: 8)
    private static let ownHelp = "  -h, --help              "
    private static let hint = "  --help-hidden           Show every option, with details.\n"
}

extension String {
    /// The title of a group, for the full help: the short one has a single list.
    static func inFullHelp(_ title: String) -> String { FullHelp.isShown ? title : "" }
}

extension ArgumentVisibility {
    /// For options that only ``FullHelp`` shows.
    static var seldom: ArgumentVisibility { FullHelp.isShown ? .default : .hidden }
}
