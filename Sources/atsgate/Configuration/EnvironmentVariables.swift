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
    /// - Throws: ``CommandFailure`` with 64 that names the variable and the nearest one.
    init(
        of options: [GateOption], in environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws(CommandFailure) {
        values = options.flatMap { option in
            guard let text = environment[option.variable], !text.isEmpty else { return [GivenValue]() }
            let texts = option.repetition == .last ? [text[...]] : text.split(whereSeparator: \.isNewline)
            return texts.map { GivenValue(option: option, text: String($0), origin: .variable) }
        }
        let all = GateCatalogue.list.options
        let ours = Set(all.map(\.variable) + ChildEnvironment.ownNames + [Self.coreDumps])
        for name in environment.keys.sorted() where name.hasPrefix(GateOption.variablePrefix) && !ours.contains(name) {
            let word = name.dropFirst(GateOption.variablePrefix.count).lowercased()
            guard let nearest = word.replacing("_", with: "-").nearest(among: all.map(\.name)),
                let option = all.first(where: { $0.name == nearest })
            else { continue }
            throw .usage("the environment variable \(name) sets no option; did you mean \(option.variable)?")
        }
    }
}

extension EnvironmentVariables {
    /// Set to 1, a gate that crashes leaves a core file and can be looked into, as other programs: for debugging it.
    static let coreDumps = GateOption.variablePrefix + "CORE_DUMPS"

    static var allowsCoreDumps: Bool { ProcessInfo.processInfo.environment[coreDumps] == "1" }
}
