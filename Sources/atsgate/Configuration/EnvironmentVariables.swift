import ATSPolicy
import Foundation
import Text

/// Options from environment variables: `ATSGATE_PORT_FILE` is `--port-file`.
enum EnvironmentVariables {
    /// The values in the order of the options. For a repeatable option, each line is a value.
    ///
    /// An unknown name is an error if it is close to an option's name. Others are ignored: container platforms set
    /// variables that are named after services.
    ///
    /// - Parameters:
    ///   - used: the options of the command.
    ///   - all: the options of the gate.
    ///   - environment: variables with the prefix.
    /// - Throws: ``CommandFailure`` with 64 that names the variable and the nearest one, or says that the option works
    ///   only on the command line.
    static func values(
        for used: [DeclaredArgument], of all: [DeclaredArgument], in environment: [String: String]
    ) throws(CommandFailure) -> [ConfiguredValue] {
        let readings = JudgeSwitch.all.map(\.name)
        let names = all.compactMap(\.longName) + readings
        let ours = Set(names.map(variable) + ChildEnvironment.ownNames + [coreDumps])
        for name in environment.keys.sorted() where !ours.contains(name) {
            let word = name.dropFirst(prefix.count).lowercased().replacing("_", with: "-")
            if JudgingOptions.names.contains(word) {
                throw .usage("the environment variable \(name) has no effect; \(JudgingOptions.advice(on: word))")
            }
            guard let nearest = word.nearest(among: names) else { continue }
            throw .usage("the environment variable \(name) is unknown; did you mean \(variable(nearest))?")
        }
        return (used.compactMap(\.longName) + readings).flatMap { name in
            guard let text = environment[variable(name)] else { return [ConfiguredValue]() }
            let isRepeatable = used.contains { $0.longName == name && $0.isRepeating }
            let texts = isRepeatable ? text.split(whereSeparator: \.isNewline).map(String.init) : [text]
            return texts.compactMap { ConfiguredValue(name, $0, at: variable(name), among: used) }
        }
    }

    /// As in `ATSGATE_PORT_FILE`.
    static func variable(_ option: String) -> String { prefix + option.uppercased().replacing("-", with: "_") }

    static let prefix = "ATSGATE_"

    /// If set to 1, a gate that crashes leaves a core file, and other processes can inspect it, for debugging.
    private static let coreDumps = prefix + "CORE_DUMPS"

    static var allowsCoreDumps: Bool { ProcessInfo.processInfo.environment[coreDumps] == "1" }
}

/// Options that decide how a command ends. A CI job must show in its command what it tolerates: a variable or a file
/// from elsewhere must not turn it green.
enum JudgingOptions {
    static let names: Set = ["allow-no-loads", "annotate", "baseline", "exit-zero", "fail-on", "write-baseline"]

    static func advice(on name: String) -> String { "--\(name) works only on the command line" }
}
