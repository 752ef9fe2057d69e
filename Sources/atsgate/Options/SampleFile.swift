/// A configuration file that shows every option: the output of `--sample-config`, and `config/atsgate.conf`.
enum SampleFile {
    /// All options are commented out, so that the unchanged file has no effect.
    static var text: String {
        let options = DeclaredArgument.ofGate.filter { $0.longName != ConfigurationOption.name }
        var titles = options.compactMap(\.sectionTitle)
        titles = titles.indices.filter { titles.firstIndex(of: titles[$0]) == $0 }.map { titles[$0] }
        let sections = titles.map { title in
            let rule = "# --- \(title) "
            let entries = options.filter { $0.sectionTitle == title }.map(entry)
            return ([rule + String(repeating: "-", count: columns - rule.count)] + entries).joined(separator: "\n\n")
        }
        return comment(preface) + "\n\n" + sections.joined(separator: "\n\n") + "\n"
    }

    /// The value is the example, which is the last line of an option's help, else the default.
    private static func entry(_ option: DeclaredArgument) -> String {
        var lines = (option.discussion ?? "").split(separator: "\n").map(String.init)
        var value = option.isFlag ? "false" : option.defaultValue ?? option.choices.first ?? ""
        if let last = lines.last, last.hasPrefix(exampleMark) {
            value = String(last.dropFirst(exampleMark.count))
            lines.removeLast()
        }
        if !option.choices.isEmpty {
            let usual = option.defaultValue.map { "; default: \($0)" } ?? ""
            lines.append("Values: \(option.choices.joined(separator: ", "))\(usual).")
        }
        let words = ([option.abstract ?? ""] + lines).joined(separator: " ")
        return comment(words) + "\n#\(option.longName ?? "") = \(value)"
    }

    /// Wraps text into comment lines.
    private static func comment(_ text: String) -> String {
        text.split(separator: "\n").map { paragraph in
            var lines: [String] = []
            var line = "#"
            for word in paragraph.split(separator: " ") {
                if line.count + 1 + word.count > columns, line.count > 1 {
                    lines.append(line)
                    line = "#"
                }
                line += " " + word
            }
            return (lines + [line]).joined(separator: "\n")
        }.joined(separator: "\n")
    }

    private static let exampleMark = "Example: "
    private static let preface = """
        atsgate: options for `atsgate proxy --config FILE` and `atsgate run --config FILE ... -- COMMAND`, as \
        `atsgate proxy --sample-config` prints them.
        One `option = value` per line, or an option as on the command line. A # at the start of a line or after a \
        space begins a comment. Environment variables override this file, and the command line overrides both: \
        `ATSGATE_PORT_FILE` is `--port-file`. Repeatable options add up, but `--listen` replaces the lines of the file. \
        An unknown name ends the start with exit code 64. Every option is shown with its default, or with an example if \
        it has none; remove the # to set it.
        """
    private static let columns = 119
}
