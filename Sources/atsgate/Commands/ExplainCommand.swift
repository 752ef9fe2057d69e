import ATSPolicy
import ArgumentParser
import Diagnosis
import ProxyCore
import ProxyServer
import Text
import Topics

/// Prints the ruling for a load, without any network.
struct ExplainCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain",
        abstract:
            "Says whether a load may leave, what a code or a rule means, and prints pages of the documentation. Uses no network.",
        discussion: """
            A URL gets the ruling: whether the load may leave, why, and what its server must show (atsgate probe \
            asks the server). A host without a scheme is taken for https. An Apple code as a log has it (-9802, \
            -1022, 3:-9858, "-1200 [3:-9802]", errSSLFatalAlert) gets what it can mean, by release, and the rules \
            that tell; the id of a rule (ats.forward-secrecy) what it asks, what a device reports, and what helps. \
            The name of a topic, such as law/tls or law/tls#versions, gets that page; topics lists them.

            Exit code: 0 when every load is permitted, 1 when one is denied (with --all-os: anywhere), 64 for text \
            that is none of these.
            """)

    @OptionGroup var law: DeclaredOptions<LawCatalogue>

    @Flag(help: "One JSON object per subject and line.")
    var json = false

    @Flag(help: "Also print every cipher suite, and the sources of the answer.")
    var verbose = false

    @Flag(
        name: .customLong("all-os"),
        help: "A matrix: the ruling under every profile, with the reason for each change. --os is ignored.")
    var allSystems = false

    @Argument(
        help: ArgumentHelp(
            "URLs (http, https, ws, wss), hosts, codes of Apple's, ids of rules, or topics.", valueName: "subject"),
        completion: ShellCompletion.subjects.completion)
    var subjects: [String]

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
        return try show { url throws(URLTextError) in
            let one = try Explanation(url: url, judge: judge, loader: choices.settings.rules.clients.loader ?? .app)
            return Answer(text: json ? one.json : one.words(isVerbose: verbose), isPermitted: one.isPermitted)
        }
    }

    private func explainAll(_ declaration: Declaration, _ choices: GateChoices) throws -> Bool {
        try show { url throws(URLTextError) in
            let matrix = try OSMatrix(
                url: url, declaration: declaration, switches: choices.settings.switches,
                loader: choices.settings.rules.clients.loader ?? .app)
            return Answer(text: json ? matrix.json : matrix.words, isPermitted: matrix.isPermittedThroughout)
        }
    }

    /// What is said of one subject.
    private struct Answer {
        let text: String
        var isPermitted = true
    }

    /// Prints the answers once all are known, in the order asked.
    private func show(_ load: (String) throws(URLTextError) -> Answer) throws -> Bool {
        let answers = try subjects.map { subject throws in
            do {
                return try answer(subject, load)
            } catch let error as URLTextError {
                throw CommandFailure.usage("\(error)")
            } catch let error as ExplainSubjectError {
                throw CommandFailure.usage("\(error)")
            }
        }
        let joined = answers.map(\.text).joined(separator: json ? "\n" : "\n\n") + "\n"
        let text = json ? joined : Colours.explain.painted(joined)
        try Output.withOutput(to: nil) { try $0.write(Array(text.utf8)) }
        return answers.allSatisfy(\.isPermitted)
    }

    private func answer(_ subject: String, _ load: (String) throws(URLTextError) -> Answer) throws -> Answer {
        if let topic = Topic(subject) {
            guard json else { return Answer(text: String(topic.text.dropLast())) }
            let members = [
                ("topic", JSONValue.string(topic.page)), ("anchor", .text(topic.anchor)), ("text", .string(topic.text)),
            ]
            return Answer(text: JSONValue.object(members).text)
        }
        if let mark = subject.lastIndex(of: "#"), let page = Topic(String(subject[..<mark])) {
            throw CommandFailure.usage("the page \(page.page) has no heading \(subject[mark...])".printable)
        }
        switch try ExplainSubject(
            subject, topics: Topic.names + Topic.names.compactMap { $0.split(separator: "/").last.map(String.init) })
        {
        case .number(let explanation): return Answer(text: json ? explanation.json : explanation.words)
        case .rule(let rule):
            let explanation = RuleExplanation(rule)
            return Answer(text: json ? explanation.json : explanation.words)
        case .load(let url): return try load(url)
        }
    }
}

extension ExplainCommand {
    /// A code begins like an option: with a minus sign instead of the hyphen it is an argument.
    static func readable(_ arguments: [String]) -> [String] {
        guard arguments.first == configuration.commandName else { return arguments }
        return arguments.map { argument in
            let digits = argument.dropFirst()
            guard argument.hasPrefix("-"), ErrorNumber(argument) != nil, digits.first?.isNumber == true else {
                return argument
            }
            return "\u{2212}" + digits
        }
    }
}
