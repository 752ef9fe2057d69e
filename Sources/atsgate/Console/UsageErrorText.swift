import ArgumentParser
import Text

/// A usage error of ArgumentParser in the style of all other errors: one line with the problem, and one that names the
/// help.
struct UsageErrorText {
    let lines: [String]

    init(_ error: any Error, of root: any ParsableCommand.Type) {
        let first = Self.line(of: error, in: root)
        let help = root.fullMessage(for: error).firstMatch(of: /See '([^']+)'/).map { "\($0.1)" }
        let hint = Self.hint(for: first, in: help?.split(separator: " ").dropFirst().first)
        lines =
            [
                "atsgate: error: " + Self.beginningSmall(hint.map { Self.subject(of: first) + "; " + $0 } ?? first)
            ]
            + [help.map { "atsgate: help: " + $0 }].compactMap(\.self)
    }

    /// The problem in one line.
    static func sentence(of error: any Error, in command: any ParsableCommand.Type) -> String {
        beginningSmall(line(of: error, in: command))
    }

    private static func line(of error: any Error, in command: any ParsableCommand.Type) -> String {
        // The parser puts each value on its own line.
        // It finds the form of a value only if the option is shown.
        let listed = FullHelp.$isShown.withValue(true) { command.message(for: error) }
            .replacing("Please provide one of the following:\n  - ", with: "Please provide one of ")
            .replacing("\n  - ", with: ", ")
        return listed.split(separator: "\n").first.map(String.init) ?? listed
    }

    /// The message without the parser's own guess.
    private static func subject(of message: String) -> String {
        message.prefixMatch(of: unknownOption).map { String($0.output.0) } ?? message
    }

    private static var unknownOption: Regex<(Substring, Substring)> { /Unknown option '(--?[a-z-]+)'/ }

    /// The likely intention of an argument that the command does not take.
    private static func hint(for message: String, in command: Substring?) -> String? {
        if let match = message.wholeMatch(of: /Unexpected argument '(.+)'/) {
            let dictionaries = [".app", ".appex", ".ipa", ".xcarchive", ".plist", ".json"]
            let path = String(match.output.1)
            if command == "policy" { return "did you mean --output \(path.shellWord)?" }
            guard dictionaries.contains(where: path.hasSuffix) else { return nil }
            return "did you mean --policy \(path.shellWord)?"
        }
        guard let option = message.prefixMatch(of: unknownOption).map({ String($0.output.1) }) else { return nil }
        return others["\(command ?? "") \(option)"] ?? others[option]
    }

    /// Options of other commands, with the way here: of one command, or of all that lack them.
    private static let others = [
        "lint --policy": "name the dictionary itself, as in atsgate lint Info.plist",
        "audit --policy": "name the app itself, as in atsgate audit MyApp.app",
        "doctor --listen": "did you mean --gate HOST:PORT?",
        "evidence --json": "export always prints JSON, one case per line",
        "--json": "did you mean --format json?", "lint --all-os": "without --os, lint checks for all releases",
        "--all-os": "explain, probe, replay and suggest have it",
    ]

    /// Leaves options and names in capitals unchanged.
    private static func beginningSmall(_ words: String) -> String {
        guard let first = words.first, words.dropFirst().first?.isLowercase == true else { return words }
        return first.lowercased() + words.dropFirst()
    }
}

/// The short help for a user who types only `atsgate`.
enum BareCommandText {
    static let text = """
        atsgate \(toolVersion) enforces an app's App Transport Security dictionary on live HTTP and HTTPS traffic.

        Three ways to start:
          atsgate demo                                       see it work, without any other program
          atsgate proxy --policy MyApp.app                   a gate for a simulator or a phone
          atsgate run --policy Info.plist -- curl https://example.com/
                                                             a gate for one command, and the verdict on its loads

        atsgate --help lists all commands.

        """
}

/// Commands under their former names. A usage error names the command that replaced one.
enum FormerCommands {
    /// The new command by the former one.
    static let successors = [
        "ship": "atsgate recordings import SPOOL... --store postgres://USER@HOST/DATABASE",
        "uninstall": "atsgate setup uninstall",
        "recordings check": "atsgate doctor --store FILE",
        "recordings prune": "atsgate recordings delete --older-than AGE --larger-than SIZE",
        "recordings show": "atsgate recordings list NAME, or atsgate report --recording NAME --by host",
        "store check": "atsgate doctor --store postgres://USER@HOST/DATABASE",
        "store roles": "atsgate store init --roles --store postgres://USER@HOST/DATABASE",
        "policy show": "atsgate policy pull NAME",
    ]
}
