import ArgumentParser
import Text

/// A usage error of ArgumentParser in the style of all other errors: one line with the problem, and one that names the
/// help.
struct UsageErrorText {
    let lines: [String]

    init(_ error: any Error, of root: any ParsableCommand.Type) {
        let message = root.message(for: error)
        // The parser puts each value on its own line.
        let listed = message.replacing("Please provide one of the following:\n  - ", with: "Please provide one of ")
            .replacing("\n  - ", with: ", ")
        let first = listed.split(separator: "\n").first.map(String.init) ?? listed
        let help = root.fullMessage(for: error).firstMatch(of: /See '([^']+)'/).map { "\($0.1)" }
        lines =
            ["atsgate: error: " + Self.beginningSmall(first) + (Self.hint(for: first).map { "; " + $0 } ?? "")]
            + [help.map { "atsgate: help: " + $0 }].compactMap(\.self)
    }

    /// The likely intention of an argument that the command does not take.
    private static func hint(for message: String) -> String? {
        if let match = message.wholeMatch(of: /Unexpected argument '(.+)'/) {
            let dictionaries = [".app", ".appex", ".ipa", ".xcarchive", ".plist", ".json"]
            let path = String(match.output.1)
            guard dictionaries.contains(where: path.hasSuffix) else { return nil }
            return "did you mean --policy \(path.shellWord)?"
        }
        guard let match = message.wholeMatch(of: /Unknown option '(--?[a-z-]+)'/) else { return nil }
        return others[String(match.output.1)]
    }

    /// Options of other commands, with the way here.
    private static let others = [
        "--policy": "name the dictionary itself, as in atsgate lint Info.plist",
        "--json": "did you mean --format json?", "--all-os": "name the releases, as in --os ios17 ios26",
    ]

    /// Leaves options and names in capitals unchanged.
    private static func beginningSmall(_ words: String) -> String {
        guard let first = words.first, words.dropFirst().first?.isLowercase == true else { return words }
        return first.lowercased() + words.dropFirst()
    }
}
