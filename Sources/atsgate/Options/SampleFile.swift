/// A configuration file that shows every option: what `--sample-config` prints, and `config/atsgate.conf`.
enum SampleFile {
    /// Each option is commented out, so that the file as it is changes nothing.
    static var text: String {
        let sections = GateCatalogue.sections.map { section in
            let rule = "# --- \(section.title) "
            let options = section.options.filter(\.isForFiles).map(entry)
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

    /// The words in lines of comment.
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
        One `option = value` per line, named as the long options without their dashes. A # at the start of a line or \
        after a blank begins a comment. Environment variables win over this file, and the command line wins over both: \
        `ATSGATE_PORT_FILE` is `--port-file`. What may be repeated adds up, but `--listen` replaces the lines of the \
        file. A name that is no option ends the start with exit code 64. Every option is shown with its default, or \
        with an example where it has none; take the # away to set it.
        """
    private static let columns = 119
}
