import ATSPolicy
import ArgumentParser
import Diagnosis

/// Prints the ruling for a load, without any network.
struct ExplainCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain",
        abstract: "Tells whether a load would be let out, why, and what is asked of TLS. Uses no network.",
        discussion: "Exit code: 0 when every load is permitted, 1 when one is denied, 64 for text that is no URL.")

    @OptionGroup(title: "The law") var law: LawOptions

    @Flag(help: "One JSON object per URL and line.")
    var json = false

    @Argument(help: ArgumentHelp("http, https, ws or wss URLs.", valueName: "url"))
    var urls: [String]

    func run() throws {
        let declaration = try law.declaration()
        declaration.remarks.forEach(StandardError.say)
        let judge = Judge(declaration: declaration, profile: law.os)
        let explanations = try urls.map { url throws in
            do throws(URLTextError) {
                return try Explanation(url: url, judge: judge, loader: law.assume?.loader ?? .app)
            } catch {
                throw CommandFailure.usage("\(error)")
            }
        }
        let text = explanations.map(json ? \.json : \.words).joined(separator: json ? "\n" : "\n\n")
        try Output.withOutput(to: nil) { try $0.write(Array((text + "\n").utf8)) }
        guard explanations.allSatisfy(\.isPermitted) else { throw ExitCode(1) }
    }
}
