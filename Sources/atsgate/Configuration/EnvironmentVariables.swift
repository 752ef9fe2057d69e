import Foundation
import Text

/// Options from environment variables: `ATSGATE_PORT_FILE` is `--port-file`.
struct EnvironmentVariables {
    /// The values in the order of the options. For a repeatable option, each line is a value.
    let values: [GivenValue]

    /// An unknown name is an error if it is close to an option's name. Others are ignored: container platforms set
    /// variables that are named after services.
    ///
    /// - Parameter options: the options of the command.
    /// - Throws: ``CommandFailure`` with 64 that names the variable and the nearest one, or says that the option works
    ///   only on the command line.
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
                throw .usage("the environment variable \(name) has no effect; \(JudgingOptions.advice(on: word))")
            }
            guard let nearest = word.nearest(among: all.map(\.name)),
                let option = all.first(where: { $0.name == nearest })
            else { continue }
            throw .usage("the environment variable \(name) is unknown; did you mean \(option.variable)?")
        }
    }
}

/// Options that decide how a command ends. A CI job must show in its command what it tolerates: a variable or a file
/// from elsewhere must not turn it green.
enum JudgingOptions {
    static let names: Set = ["allow-no-loads", "annotate", "baseline", "exit-zero", "fail-on", "write-baseline"]

    static func advice(on name: String) -> String { "--\(name) works only on the command line" }
}

extension EnvironmentVariables {
    /// If set to 1, a gate that crashes leaves a core file, and other processes can inspect it, for debugging.
    static let coreDumps = GateOption.variablePrefix + "CORE_DUMPS"

    static var allowsCoreDumps: Bool { ProcessInfo.processInfo.environment[coreDumps] == "1" }
}
