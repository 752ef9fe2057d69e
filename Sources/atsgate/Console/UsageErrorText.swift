import ArgumentParser

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
            ["atsgate: error: " + Self.beginningSmall(first)]
            + [help.map { "atsgate: help: " + $0 }].compactMap(\.self)
    }

    /// Leaves options and names in capitals unchanged.
    private static func beginningSmall(_ words: String) -> String {
        guard let first = words.first, words.dropFirst().first?.isLowercase == true else { return words }
        return first.lowercased() + words.dropFirst()
    }
}
