import ATSPolicy
import ArgumentParser
import Diagnosis

/// Prints the ruling for a load, without any network.
struct ExplainCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain",
        abstract: "Tells whether a load would be let out, why, and what is asked of TLS. Uses no network.",
        discussion:
            "Exit code: 0 when every load is permitted, 1 when one is denied (with --all-os: anywhere), 64 for text that is no URL."
    )

    @OptionGroup(title: "The law") var law: LawOptions

    @Flag(help: "One JSON object per URL and line.")
    var json = false

    @Flag(
        name: .customLong("all-os"),
        help: "A matrix: the ruling under every profile, with the reason for each change. --os is not looked at.")
    var allSystems = false

    @Argument(help: ArgumentHelp("http, https, ws or wss URLs.", valueName: "url"))
    var urls: [String]

    func run() throws {
        let declaration = try law.declaration()
        declaration.remarks.forEach(StandardError.say)
        let isPermitted = allSystems ? try explainAll(declaration) : try explain(declaration)
        guard isPermitted else { throw ExitCode(1) }
    }

    private var loader: Loader { law.assume?.loader ?? .app }

    private func explain(_ declaration: Declaration) throws -> Bool {
        let (profile, remarks) = law.system(for: declaration)
        remarks.forEach(StandardError.say)
        let judge = Judge(declaration: declaration, profile: profile, switches: law.readings.switches)
        let explanations = try forEachURL { url throws(URLTextError) in
            try Explanation(url: url, judge: judge, loader: loader)
        }
        try show(explanations.map(json ? \.json : \.words))
        return explanations.allSatisfy(\.isPermitted)
    }

    private func explainAll(_ declaration: Declaration) throws -> Bool {
        let matrices = try forEachURL { url throws(URLTextError) in
            try OSMatrix(url: url, declaration: declaration, switches: law.readings.switches, loader: loader)
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
