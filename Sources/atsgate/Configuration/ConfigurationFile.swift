import Files
import Foundation
import Text

/// The lines of a `--config` file.
struct ConfigurationFile {
    /// The values in the order of their lines.
    let values: [ConfiguredValue]

    /// - Parameter options: the options of the gate.
    /// - Throws: ``CommandFailure`` with 65 if the file cannot be read, and with 64, naming `FILE:LINE`, if a line is
    ///   not an option.
    init(path: String, options: [DeclaredArgument]) throws(CommandFailure) {
        let text: String
        do {
            text = try InputFile.text(of: path)
        } catch {
            throw .badInput("the configuration file \(path) cannot be read: \(Self.reason(error))")
        }
        let known = options.filter { $0.longName != ConfigurationOption.name }
        var values: [ConfiguredValue] = []
        for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
            let place = "\(path):\(index + 1)"
            do throws(ValueProblem) {
                guard let value = try Self.value(Self.withoutComment(line), at: place, among: known) else { continue }
                guard !value.option.isSingle || !values.contains(where: { $0.name == value.name }) else {
                    throw ValueProblem(CommandWords.repeated(value.name))
                }
                values.append(value)
            } catch {
                throw .usage("\(place): \(error)")
            }
        }
        self.values = values
    }

    /// Reads `NAME = VALUE`, or the option as on a command line: `--NAME VALUE`, `--NAME=VALUE`, `--FLAG`.
    ///
    /// - Returns: nil for an empty line.
    private static func value(
        _ line: Substring, at place: String, among options: [DeclaredArgument]
    ) throws(ValueProblem) -> ConfiguredValue? {
        let line = line.trimmingCharacters(in: .whitespaces)
        guard !line.isEmpty else { return nil }
        var (name, text) = line[...].sides
        if line.hasPrefix("--") {
            name = String(line.dropFirst(2).prefix { $0 != "=" && !$0.isWhitespace })
            text = line.dropFirst(2 + name.count).drop { $0 == "=" || $0.isWhitespace }.description
            if text?.isEmpty == true, options.contains(where: { $0.longName == name && $0.isFlag }) { text = "true" }
        }
        guard let value = ConfiguredValue(name, text ?? "", at: place, among: options) else {
            let word = name.replacing("_", with: "-")
            if JudgingOptions.names.contains(word) {
                throw ValueProblem("\(name) cannot be set in a file; \(JudgingOptions.advice(on: word))")
            }
            let hint = name.nearest(among: options.compactMap(\.longName)).map { "; did you mean \"\($0)\"?" } ?? ""
            throw ValueProblem("unknown option \"\(name)\"\(hint)")
        }
        guard text?.isEmpty == false else {
            throw ValueProblem("\(name) needs a value: \(name) = \(value.option.isFlag ? "true" : "...")")
        }
        return value
    }

    /// A comment begins at the start of a line or after a space, so that paths may contain a #.
    private static func withoutComment(_ line: Substring) -> Substring {
        var previous: Character = " "
        for index in line.indices {
            if line[index] == "#", previous.isWhitespace { return line[..<index] }
            previous = line[index]
        }
        return line
    }

    private static func reason(_ fault: FileFault) -> String {
        switch fault.errno {
        case ENOENT: "no such file"
        case EACCES, EPERM: "permission denied"
        default: fault.description
        }
    }
}
