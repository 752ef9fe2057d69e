import ATSPolicy
import Text

/// The comparison of devices' hellos with the rules in reports.
struct HelloSection {
    let agreement: HelloAgreement

    /// The section of a text report; empty if no hello was compared.
    func text(colours: TerminalColours) -> String {
        guard let first = agreement.lines.first else { return "" }
        return "\n" + colours.strong("HELLOS") + "  \(first.printable)\n"
            + agreement.lines.dropFirst().map { "  \($0.printable)\n" }.joined()
    }

    /// The section of a Markdown report; empty if no hello was compared.
    var markdown: String {
        guard let first = agreement.lines.first else { return "" }
        return "\n**Hellos**: \(MarkdownText.escaped(first))\n"
            + agreement.lines.dropFirst().map { "\n- \(MarkdownText.escaped($0))" }.joined() + "\n"
    }

    /// The values for its section of the page's template; nil if no hello was compared.
    var html: [String: Any]? {
        let lines = agreement.lines
        return lines.first.map { ["summary": $0.capitalizedFirst + ".", "sentences": Array(lines.dropFirst())] }
    }

    /// docs/report.md#json; nil if no client sent a hello.
    var json: JSONValue? {
        guard !agreement.readings.isEmpty else { return nil }
        return .object([
            ("hellos", .number(agreement.hellos)), ("agree", .number(agreement.agreeing)),
            (
                "readings",
                .object(
                    HelloReading.Kind.allCases.compactMap { kind in
                        agreement.readings[kind].map { (kind.rawValue, .number($0)) }
                    })
            ), ("differences", .array(agreement.differences.map(\.json))),
        ])
    }
}

extension HelloAgreement.Difference {
    fileprivate var json: JSONValue {
        .object([
            ("host", .string(host)), ("answer", .string(answer.rawValue)), ("device", .string(device)),
            ("law", .string(law)), ("hellos", .number(hellos)), ("installedBuild", .text(sentence)),
        ])
    }
}
