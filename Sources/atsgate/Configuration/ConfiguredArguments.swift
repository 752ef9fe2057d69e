import ArgumentParser
import Foundation
import Text

/// Options from a configuration file and from the environment. They become arguments before those of the command line,
/// so that the parser reads, checks and combines all three.
enum ConfiguredArguments {
    /// The arguments of the program with the configured ones.
    ///
    /// - Throws: ``CommandFailure`` with 64 for unknown names and invalid values, 65 for a configuration file that
    ///   cannot be read.
    static func added(to words: [String], of root: any ParsableCommand.Type) throws(CommandFailure) -> [String] {
        let line = CommandWords(words, of: root)
        guard !line.isRequestForText else { return words }
        try line.refuseRepeated()
        let environment = ProcessInfo.processInfo.environment
            .filter { $0.key.hasPrefix(EnvironmentVariables.prefix) && !$0.value.isEmpty }
        let file = line.value(of: ConfigurationOption.name)
        // A description of the options takes time, so it is created only if it is needed.
        guard !environment.isEmpty || file != nil else { return words }
        let gate = DeclaredArgument.ofGate
        let used = DeclaredCommand(line.command).arguments.filter { one in gate.contains { $0.isSame(as: one) } }
        let variables = try EnvironmentVariables.values(for: used, of: gate, in: environment)
        var lines: [ConfiguredValue] = []
        if used.contains(where: { $0.longName == ConfigurationOption.name }),
            let path = file ?? variables.first(where: { $0.name == ConfigurationOption.name })?.text
        {
            // All commands share a gate's file; each uses the options that it has.
            let all = try ConfigurationFile(path: path, options: gate).values
            lines = all.filter { line in used.contains { $0.longName == line.name } }
            try ConfiguredValue.check(all)
        }
        try ConfiguredValue.check(variables)
        let typed = Set(line.options.map(\.name))
        let lower = rest(of: lines, below: typed.union(variables.map(\.name))) + rest(of: variables, below: typed)
        return words.prefix(line.depth) + lower.compactMap(\.word) + words.dropFirst(line.depth)
    }

    /// The values that higher ones do not replace. Those of other repeatable options add up.
    private static func rest(of values: [ConfiguredValue], below names: Set<String>) -> [ConfiguredValue] {
        values.filter { !names.contains($0.name) || $0.option.isRepeating && !replaced.contains($0.name) }
    }

    private static let replaced: Set = ["listen", "os"]
}

/// The words of a command line before `--`.
struct CommandWords {
    /// An option with the next word, which is its value unless it is a flag.
    struct TypedOption {
        /// Without dashes.
        let name: String
        let value: String?
        /// As a shell reads it.
        let words: String
    }

    let command: any ParsableCommand.Type
    /// The number of words that name the command.
    let depth: Int
    let options: [TypedOption]

    /// - Parameter words: the arguments of the program.
    init(_ words: [String], of root: any ParsableCommand.Type) {
        let words = Array(words.prefix { $0 != "--" })
        var command = root
        var depth = 0
        while depth < words.count,
            let inner = command.configuration.subcommands.first(where: { $0.configuration.commandName == words[depth] })
        {
            (command, depth) = (inner, depth + 1)
        }
        while let usual = command.configuration.defaultSubcommand { command = usual }
        (self.command, self.depth) = (command, depth)
        isRequestForText = words.first == "help" || words.first == "---completion"
        options = words.indices.dropFirst(depth).filter { words[$0].hasPrefix("-") && words[$0] != "-" }.map { index in
            TypedOption(words[index], next: words.dropFirst(index + 1).first)
        }
        if options.contains(where: { Self.requests.contains($0.name) }) { isRequestForText = true }
    }

    /// True for help, the version, completions and the sample file, which need no other options.
    private(set) var isRequestForText: Bool

    /// The last value of an option; nil if it is not given.
    func value(of name: String) -> String? { options.last { $0.name == name }?.value }

    /// - Throws: ``CommandFailure`` with 64 for an option with one value that is given twice.
    func refuseRepeated() throws(CommandFailure) {
        let counts = options.reduce(into: [String: Int]()) { $0[$1.name, default: 0] += 1 }
        guard counts.values.contains(where: { $0 > 1 }) else { return }
        for option in DeclaredCommand(command).arguments where option.isSingle {
            if let name = option.longName, counts[name, default: 0] > 1 { throw .usage(Self.repeated(name)) }
        }
    }

    static func repeated(_ name: String) -> String { "--\(name) is given twice; it takes one value" }

    private static let requests: Set = [
        "h", "help", "help-hidden", "help-all", "version", "experimental-dump-help", "generate-completion-script",
        "sample-config",
    ]
}

extension CommandWords.TypedOption {
    fileprivate init(_ word: String, next: String?) {
        let (name, joined) = word.drop { $0 == "-" }.sides
        self.name = name
        let apart = next.flatMap { $0 == "-" || !$0.hasPrefix("-") ? $0 : nil }
        value = joined ?? apart
        words =
            joined.map { "--\(name)=\($0.shellWord)" }
            ?? ([word] + [apart?.shellWord].compactMap(\.self)).joined(separator: " ")
    }
}
