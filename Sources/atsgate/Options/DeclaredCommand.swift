import ArgumentParser
import Foundation

/// A command as ArgumentParser describes it, in the form of `--experimental-dump-help`.
struct DeclaredCommand: Decodable {
    let commandName: String
    let abstract: String?
    let discussion: String?
    let arguments: [DeclaredArgument]

    private enum CodingKeys: CodingKey {
        case commandName, abstract, discussion, arguments
    }

    init(_ type: any ParsableCommand.Type) {
        struct Dump: Decodable {
            let command: DeclaredCommand
        }
        let text = FullHelp.$isShown.withValue(true) { type._dumpHelp() }
        do {
            self = try JSONDecoder().decode(Dump.self, from: Data(text.utf8)).command
        } catch {
            preconditionFailure("ArgumentParser describes its commands in another form: \(error)")
        }
    }
}

/// An argument of a command.
struct DeclaredArgument: Decodable {
    struct Name: Decodable {
        let kind: String
        let name: String
    }

    let kind: String
    let sectionTitle: String?
    let isOptional: Bool
    let isRepeating: Bool
    let names: [Name]?
    let valueName: String?
    let defaultValue: String?
    let allValues: [String]?
    let abstract: String?
    let discussion: String?
    private let completionKind: Completion?

    /// Only the kinds that mean a file.
    private struct Completion: Decodable {
        let isFile: Bool

        private enum Kind: CodingKey {
            case file, directory
        }

        init(from decoder: any Decoder) throws {
            isFile = try !decoder.container(keyedBy: Kind.self).allKeys.isEmpty
        }
    }

    var longName: String? { names?.first { $0.kind == "long" }?.name }
    var choices: [String] { allValues ?? [] }
    var isPath: Bool { completionKind?.isFile == true || valueName == "path" }
    var isFlag: Bool { kind == "flag" }
    /// True for an option with one value.
    var isSingle: Bool { kind == "option" && !isRepeating }

    /// The help in one text.
    var words: String {
        let standard = defaultValue.map { $0.isEmpty ? "" : "Default: \($0)." } ?? ""
        return [abstract, discussion, standard].compactMap(\.self).filter { !$0.isEmpty }.joined(separator: " ")
    }

    /// True if it is declared with the same name, form and meaning. Other commands have options of their own with the
    /// name of a gate's option.
    func isSame(as other: DeclaredArgument) -> Bool {
        longName == other.longName && kind == other.kind && valueName == other.valueName && abstract == other.abstract
    }

    /// The options of the gate, which files and variables can set: those below a title.
    static var ofGate: [DeclaredArgument] {
        DeclaredCommand(ProxyCommand.self).arguments.filter {
            $0.sectionTitle != nil && !JudgingOptions.names.contains($0.longName ?? "")
        }
    }
}
