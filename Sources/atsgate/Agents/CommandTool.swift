import Agents
import ArgumentParser
import Text

/// A command as a tool of `atsgate mcp`: its schema is made from the declarations of its options, and a call becomes
/// the words of a command line.
struct CommandTool {
    let name: String
    let tool: AgentTool
    private let properties: [ToolProperty]
    /// Words of each call, for example those that choose JSON.
    private let fixed: [String]

    /// - Parameters:
    ///   - options: the long names of the options that clients may use. No option that writes a file belongs here.
    ///   - fixed: words of each call.
    ///   - connects: true if the command connects to servers that the client names.
    init(
        _ command: any ParsableCommand.Type, title: String, options: [String], fixed: [String], connects: Bool = false
    ) {
        let declared = DeclaredCommand(command)
        name = declared.commandName
        self.fixed = fixed
        properties = declared.arguments.compactMap { ToolProperty($0, among: options) }
        let required = properties.filter(\.isRequired).map(\.name)
        let schema = JSONValue.object([
            ("type", .string("object")), ("properties", .object(properties.map { ($0.name, $0.schema) })),
            ("required", .texts(required)), ("additionalProperties", .flag(false)),
        ])
        tool = AgentTool(
            name: name, title: title, description: (declared.abstract ?? "") + "\n\n" + (declared.discussion ?? ""),
            inputSchema: schema, connects: connects)
    }

    /// The words of a call, without the program's name.
    ///
    /// - Throws: ``ToolArgumentFault``.
    func words(
        for arguments: [String: RPCValue], in folders: AllowedFolders
    ) throws(ToolArgumentFault) -> [String] {
        let known = properties.map(\.name)
        if let unknown = arguments.keys.sorted().first(where: { !known.contains($0) }) {
            let hint = unknown.nearest(among: known).map { "; did you mean \($0)?" } ?? ""
            throw ToolArgumentFault("\(name) has no argument \(unknown)\(hint)")
        }
        var options: [String] = []
        var positional: [String] = []
        for property in properties {
            guard let value = arguments[property.name], value != .null else {
                guard !property.isRequired else { throw ToolArgumentFault("\(property.name) is missing") }
                continue
            }
            for text in try property.texts(of: value, in: folders) {
                switch property.kind {
                case .flag(let option): options.append("--" + option)
                case .option(let option): options.append("--\(option)=\(text)")
                case .positional: positional.append(text)
                }
            }
        }
        return [name] + fixed + options + (positional.isEmpty ? [] : ["--"] + positional)
    }
}

/// The reason why the arguments of a call are not accepted.
struct ToolArgumentFault: Error {
    let sentence: String

    init(_ sentence: String) {
        self.sentence = sentence
    }
}

/// An argument of a tool.
private struct ToolProperty {
    enum Kind {
        case flag(String)
        case option(String)
        case positional
    }

    let name: String
    let kind: Kind
    let isPath: Bool
    let isRequired: Bool
    private let isRepeatable: Bool
    private let isNumber: Bool
    private let choices: [String]
    private let description: String

    /// - Parameter options: the long names of the options to offer.
    /// - Returns: nil for any other option.
    init?(_ declared: DeclaredArgument, among options: [String]) {
        switch declared.kind {
        case "positional":
            name = declared.valueName.map { $0 + (declared.isRepeating ? "s" : "") } ?? "arguments"
            kind = .positional
        case "flag", "option":
            guard let option = declared.longName, options.contains(option) else { return nil }
            name = option.replacing("-", with: "_")
            kind = declared.kind == "flag" ? .flag(option) : .option(option)
        default: return nil
        }
        isRepeatable = declared.isRepeating
        isPath = declared.isPath
        isRequired = !declared.isOptional && declared.kind != "flag"
        choices = declared.choices
        isNumber = declared.defaultValue.flatMap { Int($0) } != nil
        description = declared.words
    }

    var schema: JSONValue {
        if case .flag = kind {
            return .object([("type", .string("boolean")), ("description", .string(description))])
        }
        let item: [(key: String, value: JSONValue)] =
            [("type", .string(isNumber ? "integer" : "string"))] + (choices.isEmpty ? [] : [("enum", .texts(choices))])
        guard isRepeatable else { return .object(item + [("description", .string(description))]) }
        return .object([
            ("type", .string("array")), ("items", .object(item)), ("description", .string(description)),
        ])
    }

    /// The value as the texts of the command line; a flag that is off has none.
    func texts(of value: RPCValue, in folders: AllowedFolders) throws(ToolArgumentFault) -> [String] {
        if case .flag = kind {
            guard case .flag(let isOn) = value else { throw ToolArgumentFault("\(name) must be true or false") }
            return isOn ? [""] : []
        }
        var values = [value]
        if isRepeatable {
            guard case .list(let list) = value else { throw ToolArgumentFault("\(name) must be an array of strings") }
            values = list
        }
        var texts: [String] = []
        for value in values { texts.append(try text(of: value, in: folders)) }
        return texts
    }

    private func text(of value: RPCValue, in folders: AllowedFolders) throws(ToolArgumentFault) -> String {
        let text: String
        switch value {
        case .text(let given): text = given
        case .integer(let number) where isNumber: text = String(number)
        case .null, .flag, .integer, .real, .list, .members:
            throw ToolArgumentFault("\(name) must be \(isNumber ? "an integer" : "a string")")
        }
        guard !text.utf8.contains(0) else { throw ToolArgumentFault("\(name) contains a zero byte") }
        // A dictionary of a shared store is not a file.
        return isPath && !text.hasPrefix("store:") ? try folders.resolved(text, for: name) : text
    }
}
