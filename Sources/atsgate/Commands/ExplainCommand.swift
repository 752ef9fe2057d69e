import ATSPolicy
import ArgumentParser
import Diagnosis
import ProxyServer

/// Prints the ruling for a load, without any network.
struct ExplainCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain",
        abstract: "Tells whether a load would be let out, why, and what is asked of TLS. Uses no network.",
        discussion: """
            Exit code: 0 when every load is permitted, 1 when one is denied (with --all-os: anywhere), 64 for text \
            that is no URL.
            """)

    @OptionGroup var law: DeclaredOptions<LawCatalogue>

    @Flag(help: "One JSON object per URL and line.")
    var json = false

    @Flag(
        name: .customLong("all-os"),
        help: "A matrix: the ruling under every profile, with the reason for each change. --os is not looked at.")
    var allSystems = false

    @Argument(help: ArgumentHelp("http, https, ws or wss URLs.", valueName: "url"))
    var urls: [String]

    func run() throws {
        let choices = try law.choices()
        let declaration = try choices.declaration()
        declaration.remarks.forEach(StandardError.say)
        let isPermitted = try allSystems ? explainAll(declaration, choices) : explain(declaration, choices)
        guard isPermitted else { throw ExitCode(1) }
    }

    private func explain(_ declaration: Declaration, _ choices: GateChoices) throws -> Bool {
        let (profile, remarks) = choices.system(for: declaration)
        remarks.forEach(StandardError.say)
        let judge = Judge(declaration: declaration, profile: profile, switches: choices.settings.switches)
        let explanations = try forEachURL { url throws(URLTextError) in
            try Explanation(url: url, judge: judge, loader: choices.settings.assumedLoader ?? .app)
        }
        try show(explanations.map(json ? \.json : \.words))
        return explanations.allSatisfy(\.isPermitted)
    }

    private func explainAll(_ declaration: Declaration, _ choices: GateChoices) throws -> Bool {
        let matrices = try forEachURL { url throws(URLTextError) in
            try OSMatrix(
                url: url, declaration: declaration, switches: choices.settings.switches,
                loader: choices.settings.assumedLoader ?? .app)
        }
        try show(matrices.map(json ? \.json : \.words))
        return matrices.allSatisfy(\.isPermittedThroughout)
    }

    private func forEachURL<Answer>(_ answer: (String) throws(URLTextError) -> Answer) throws -> [Answer] {
        try urls.map { url throws in
            do throws(URLTextError) {
                return try answer(url)
            } catch {
                throw CommandFailure.usage("\(error)")
            }
        }
    }

    private func show(_ texts: [String]) throws {
        let text = texts.joined(separator: json ? "\n" : "\n\n") + "\n"
        try Output.withOutput(to: nil) { try $0.write(Array(text.utf8)) }
    }
}
