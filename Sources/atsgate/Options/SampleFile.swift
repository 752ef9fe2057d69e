/// A configuration file that shows every option: the output of `--sample-config`, and `config/atsgate.conf`.
enum SampleFile {
    /// All options are commented out, so that the unchanged file has no effect.
    static var text: String {
        let sections = GateCatalogue.sections.map { section in
            let rule = "# --- \(section.title) "
            let options = section.options.filter { $0.isForFiles && !$0.isHidden }.map(entry)
            return ([rule + String(repeating: "-", count: columns - rule.count)] + options).joined(separator: "\n\n")
        }
        return comment(preface) + "\n\n" + sections.joined(separator: "\n\n") + "\n"
    }

    private static func entry(_ option: GateOption) -> String {
        let facts = option.facts.joined(separator: "; ")
        let remark = facts.isEmpty ? "" : facts.prefix(1).uppercased() + facts.dropFirst() + "."
        let words = [option.summary, option.details, remark].filter { !$0.isEmpty }.joined(separator: " ")
        return comment(words) + "\n#\(option.name) = \(option.example)"
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

    private static let preface = """
        atsgate: options for `atsgate proxy --config FILE` and `atsgate run --config FILE ... -- COMMAND`, as \
        `atsgate proxy --sample-config` prints them.
        One `option = value` per line; names are those of the long options without dashes. A # at the start of a line \
        or after a space begins a comment. Environment variables override this file, and the command line overrides \
        both: `ATSGATE_PORT_FILE` is `--port-file`. Repeatable options add up, but `--listen` replaces the lines of \
        the file. An unknown name ends the start with exit code 64. Every option is shown with its default, or with \
        an example if it has none; remove the # to set it.
        """
    private static let columns = 119
}
