import Files
import Foundation
import Text

/// The lines of a `--config` file.
struct ConfigurationFile {
    /// The values in the order of their lines.
    let values: [GivenValue]

    /// - Parameter options: the options of the command.
    /// - Throws: ``CommandFailure`` with 65 if the file cannot be read, and with 64, naming `FILE:LINE`, if a line is
    ///   not an option.
    init(path: String, options: [GateOption]) throws(CommandFailure) {
        let text: String
        do {
            text = try InputFile.text(of: path)
        } catch {
            throw .badInput("the configuration file \(path) cannot be read: \(Self.reason(error))")
        }
        let known = options.filter(\.isForFiles)
        var values: [GivenValue] = []
        for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
            do throws(ValueProblem) {
                guard let (option, text) = try Self.entry(String(line), among: known) else { continue }
                values.append(GivenValue(option: option, text: text, origin: .file(path: path, line: index + 1)))
            } catch {
                throw .usage("\(path):\(index + 1): \(error)")
            }
        }
        self.values = values
    }

    /// Returns the option and the value of a line; nil for an empty line.
    private static func entry(
        _ line: String, among options: [GateOption]
    ) throws(ValueProblem) -> (option: GateOption, text: String)? {
        let content = withoutComment(line).trimmingCharacters(in: .whitespaces)
        guard !content.isEmpty else { return nil }
        let sides = content.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            .map { $0.trimmingCharacters(in: .whitespaces) }
        guard let option = options.first(where: { $0.name == sides[0] }) else {
            let name = sides[0].replacing("_", with: "-")
            if JudgingOptions.names.contains(name) {
                throw ValueProblem("\(sides[0]) cannot be set in a file; \(JudgingOptions.advice(on: name))")
            }
            let hint = name.nearest(among: options.map(\.name)).map { "; did you mean \"\($0)\"?" } ?? ""
            throw ValueProblem("unknown option \"\(sides[0])\"\(hint)")
        }
        guard sides.count == 2, !sides[1].isEmpty else {
            throw ValueProblem("\(option.name) needs a value: \(option.name) = \(option.form.isFlag ? "true" : "...")")
        }
        return (option, sides[1])
    }

    /// A comment begins at the start of a line or after a space, so that paths may contain a #.
    private static func withoutComment(_ line: String) -> Substring {
        var previous: Character = " "
        for index in line.indices {
            if line[index] == "#", previous.isWhitespace { return line[..<index] }
            previous = line[index]
        }
        return line[...]
    }

    private static func reason(_ fault: FileFault) -> String {
        switch fault.errno {
        case ENOENT: "no such file"
        case EACCES, EPERM: "permission denied"
        default: fault.description
        }
    }
}
