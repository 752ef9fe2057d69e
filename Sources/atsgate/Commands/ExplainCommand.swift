import ATSPolicy
import ArgumentParser
import Declarations
import Diagnosis
import Foundation
import ProxyCore
import ProxyServer
import Text
import Topics

/// Prints the ruling for a load without using the network.
struct ExplainCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain",
        abstract: "Explains a URL's ruling, an error, a key, a rule or a topic.",
        discussion: """
            A subject is a URL or a host, an error code (-9802, "-1200 [3:-9802]"), any text with one (- reads standard \
            input), a key, a rule id, a root CA or a topic (atsgate explain topics). No network is used.

            For a URL: whether the load is allowed, why, and what its server must provide (atsgate probe tests the \
            server). A host without a scheme means https. For an Apple error code as logged (-9802, -1022, 3:-9858, \
            "-1200 [3:-9802]", errSSLFatalAlert): its possible causes by release, and the rules that report it. Any text \
            with a code, such as a line of Xcode, an NSError or a framework's exception, is searched for codes and the \
            URL; - reads it from standard input. For a key (NSAllowsArbitraryLoads), also misspelt: its effect. For a \
            rule id (ats.forward-secrecy): what the rule requires, what a device reports, and the fix. For the name of a \
            root CA ("ISRG Root X1"), or the SHA-256 of its certificate or key: the releases that trust it. For a topic, \
            such as law/tls or law/tls#versions: that page; atsgate explain topics lists them.

            Exit code: 0 when every load is allowed, 1 when one is blocked (with --all-os: on any release), 64 for \
            text that is none of these.
            """)

    @OptionGroup(title: .inFullHelp("Dictionary and release")) var policy: PolicyOption
    @OptionGroup(title: .inFullHelp("Dictionary and release")) var system: SystemOption
    @OptionGroup(title: .inFullHelp("Dictionary and release")) var loader: LoaderOption
    @OptionGroup(title: .inFullHelp("Readings of the rules")) var readings: ReadingOptions

    @Flag(help: "Print one JSON object per subject, one per line.")
    var json = false

    @Flag(help: "Also print every cipher suite and the sources of the answer.")
    var verbose = false

    @Flag(help: "Print the entry that allows a blocked URL as commands of PlistBuddy instead of XML.")
    var plistbuddy = false

    @Flag(
        name: .customLong("all-os"),
        help: "Print the ruling for every release, with the reason for each change. --os is ignored.")
    var allSystems = false

    @OptionGroup var results: ResultOptions

    @Argument(
        help: ArgumentHelp(
            "URLs (http, https, ws, wss), hosts, Apple error codes, text with codes, keys, rule ids, roots or topics.",
            valueName: "subject"),
        completion: ShellCompletion.subjects.completion)
    var subjects: [String]

    func run() throws {
        try results.begin()
        let choices = GateChoices(policy, system, loader, readings)
        let (declaration, text) = try choices.dictionary()
        let linted = Linter().lint(declaration)
        declaration.remarks(text.map(linted.obeying) ?? linted).forEach(StandardError.writeLine)
        let problems = linted.problems
        let isPermitted =
            try allSystems ? explainAll(declaration, problems, choices) : explain(declaration, problems, choices)
        guard isPermitted else { throw ExitCode(1) }
    }

    private func explain(_ declaration: Declaration, _ problems: [LintFinding], _ choices: GateChoices) throws -> Bool {
        let (profile, remarks) = choices.system(for: declaration)
        remarks.forEach(StandardError.writeLine)
        return try show { url throws(URLTextError) in
            let judge = Judge(
                declaration: declaration.narrowed(to: try URLText.parse(url).target), profile: profile,
                switches: choices.settings.switches)
            let one = try Explanation(
                url: url, judge: judge, loader: choices.settings.rules.clients.loader ?? .app, problems: problems)
            return Answer(
                text: json ? one.json : one.words(isVerbose: verbose, asCommands: plistbuddy),
                isPermitted: one.isPermitted)
        }
    }

    private func explainAll(
        _ declaration: Declaration, _ problems: [LintFinding], _ choices: GateChoices
    ) throws -> Bool {
        try show { url throws(URLTextError) in
            let matrix = try OSMatrix(
                url: url, declaration: declaration, switches: choices.settings.switches,
                loader: choices.settings.rules.clients.loader ?? .app, problems: problems)
            return Answer(text: json ? matrix.json : matrix.words, isPermitted: matrix.isPermittedThroughout)
        }
    }

    /// The answer to one subject.
    private struct Answer {
        let text: String
        var isPermitted = true
    }

    /// Prints the answers in the order of the subjects, once all are known.
    private func show(_ load: (String) throws(URLTextError) -> Answer) throws -> Bool {
        let answers: [Answer]
        do {
            answers = try subjects.map { subject throws in try answer(subject, load) }
        } catch let error where error is URLTextError || error is ExplainSubjectError {
            guard let pasted = splitError else { throw CommandFailure.usage("\(error)") }
            answers = [answer(about: pasted, load)]
        }
        let joined = answers.map(\.text).joined(separator: json ? "\n" : "\n\n") + "\n"
        let text = json || results.output != nil ? joined : Colours.explain.painted(joined)
        try Output.withOutput(to: results.output) { output in
            if json { try output.write(Array(text.utf8)) } else { try output.write(wrapped: text) }
        }
        return answers.allSatisfy(\.isPermitted)
    }

    private func answer(_ asked: String, _ load: (String) throws(URLTextError) -> Answer) throws -> Answer {
        if asked == "readings" { return Answer(text: json ? ReadingList.json.text : ReadingList.words) }
        if let options = NSCurlExplanation(asked) {
            if options.isUnknown { throw CommandFailure.usage(options.remarks.joined(separator: "; ")) }
            return Answer(text: json ? options.json : options.words)
        }
        let subject = Topic.aboutNSCurl(asked) ?? asked
        if let topic = Topic(subject) {
            guard json else {
                return Answer(text: results.isForTerminal ? topic.forTerminal : String(topic.text.dropLast()))
            }
            let members = [
                ("topic", JSONValue.string(topic.page)), ("anchor", .text(topic.anchor)), ("text", .string(topic.text)),
            ]
            return Answer(text: JSONValue.object(members).text)
        }
        if let mark = subject.lastIndex(of: "#"), let page = Topic(String(subject[..<mark])) {
            throw CommandFailure.usage("the page \(page.page) has no heading \(subject[mark...])".printable)
        }
        if subject == "-" {
            guard let pasted = PastedText(String(decoding: try input(), as: UTF8.self)) else {
                throw CommandFailure.usage("standard input contains no known error code; paste the whole message")
            }
            return answer(about: pasted, load)
        }
        if let key = KeyExplanation(subject) { return Answer(text: json ? key.json : key.words) }
        if let root = RootExplanation(subject) { return Answer(text: json ? root.json : root.words) }
        switch try ExplainSubject(
            subject, topics: Topic.names + Topic.names.compactMap { $0.split(separator: "/").last.map(String.init) })
        {
        case .load(let text) where (try? URLText.parse(text)) == nil:
            if let pasted = PastedText(text) { return answer(about: pasted, load) }
            guard text.split(whereSeparator: \.isWhitespace).count < 3 else {
                throw CommandFailure.usage(
                    "no known error code in this text; paste the whole message, best to atsgate explain -")
            }
            return try load(text)
        case .number(let explanation): return Answer(text: json ? explanation.json : explanation.words)
        case .rule(let rule):
            let explanation = RuleExplanation(rule)
            return Answer(text: json ? explanation.json : explanation.words)
        case .load(let url): return try load(url)
        }
    }
}

extension ExplainCommand {
    /// The answer to pasted text, with the ruling for its load if a dictionary is given.
    private func answer(about pasted: PastedText, _ load: (String) throws(URLTextError) -> Answer) -> Answer {
        let ruling = policy.policy == nil ? nil : (pasted.url ?? pasted.host).flatMap { try? load($0) }
        let text = json ? pasted.json(ruling: ruling?.text) : pasted.words(policy: policy.policy)
        guard let ruling else { return Answer(text: text) }
        return Answer(text: json ? text : text + "\n\n" + ruling.text, isPermitted: ruling.isPermitted)
    }

    /// The error that the shell split at its own quotes; nil for other subjects.
    private var splitError: PastedText? {
        let text = subjects.joined(separator: " ")
        return subjects.count > 1 && text.contains("Domain=") && text.contains("Code=") ? PastedText(text) : nil
    }

    /// - Throws: ``CommandFailure`` with 64 if a second subject or the dictionary uses it, too.
    private func input() throws -> [UInt8] {
        guard subjects.count(where: { $0 == "-" }) == 1, policy.policy != "-" else {
            throw CommandFailure.usage("standard input can be read only once")
        }
        return try StandardInput.read()
    }

    /// Replaces the hyphen of a negative code with a minus sign, because the parser would take the code for an option:
    /// also that of a text that begins with a code.
    static func readable(_ arguments: [String]) -> [String] {
        guard let name = configuration.commandName, arguments.first == name else { return arguments }
        return [name]
            + joiningNSCurl(Array(arguments.dropFirst())).map { argument in
                let digits = argument.dropFirst()
                guard argument.hasPrefix("-"), digits.first?.isNumber == true else {
                    return argument
                }
                return "\u{2212}" + digits
            }
    }
}
