import Foundation
import Text

/// Options that the environment sets: `ATSGATE_PORT_FILE` is `--port-file`.
struct EnvironmentVariables {
    /// In the order of the options; of an option that may be repeated, each line is a value.
    let values: [GivenValue]

    /// A name that is no option's is an error where one of them was probably meant, and else someone else's: container
    /// platforms put variables named after their services into the environment.
    ///
    /// - Parameter options: that the command takes.
    /// - Throws: ``CommandFailure`` with 64 that names the variable and the nearest one, or says that its option is for the
    ///   command line alone.
    init(
        of options: [GateOption], in environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws(CommandFailure) {
        values = options.flatMap { option in
            guard let text = environment[option.variable], !text.isEmpty else { return [GivenValue]() }
            let texts = option.isRepeatable ? text.split(whereSeparator: \.isNewline) : [text[...]]
            return texts.map { GivenValue(option: option, text: String($0), origin: .variable) }
        }
        let all = GateCatalogue.list.options
        let ours = Set(all.map(\.variable) + ChildEnvironment.ownNames + [Self.coreDumps])
        for name in environment.keys.sorted() where name.hasPrefix(GateOption.variablePrefix) && !ours.contains(name) {
            let word = name.dropFirst(GateOption.variablePrefix.count).lowercased().replacing("_", with: "-")
            if JudgingOptions.names.contains(word) {
                guard environment[name]?.isEmpty == false else { continue }
                throw .usage("the environment variable \(name) sets no option; \(JudgingOptions.advice(on: word))")
            }
            guard let nearest = word.nearest(among: all.map(\.name)),
                let option = all.first(where: { $0.name == nearest })
            else { continue }
            throw .usage("the environment variable \(name) sets no option; did you mean \(option.variable)?")
        }
    }
}

/// Options that say how a command ends. What a step of a CI job lets pass stands in its command, where it is read: a variable
/// or a file of someone else's must not turn it green.
enum JudgingOptions {
    static let names: Set = ["allow-no-loads", "annotate", "baseline", "exit-zero", "fail-on", "write-baseline"]

    static func advice(on name: String) -> String { "--\(name) is for the command line alone" }
}

extension EnvironmentVariables {
    /// Set to 1, a gate that crashes leaves a core file and can be looked into, as other programs: for debugging it.
    static let coreDumps = GateOption.variablePrefix + "CORE_DUMPS"

    static var allowsCoreDumps: Bool { ProcessInfo.processInfo.environment[coreDumps] == "1" }
}
