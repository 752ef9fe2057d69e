import Text
import Topics

/// A command line of nscurl, or one of its options: the effect of each option, and the command here that does the same.
/// Source: docs/law/nscurl.md#options.
struct NSCurlExplanation {
    /// An option with the cells of its row.
    private struct Known {
        let name: String
        let effect: String
        let here: String
    }

    private let known: [Known]
    private let unknown: [String]

    /// - Parameter text: a command line that begins with nscurl or an option, with hyphens or minus signs.
    /// - Returns: nil for other text, and for a command line without options.
    init?(_ text: String) {
        let words = text.split(whereSeparator: \.isWhitespace).map { Self.hyphened(String($0)) }
        guard let first = words.first, Self.isCommand(first) || Self.isOption(first) else { return nil }
        let options = words.filter(Self.isOption)
        guard !options.isEmpty else { return nil }
        let rows = Topic(Self.topic)?.rows.dropFirst(2) ?? []
        let known = options.compactMap { option in
            let row = rows.first { $0.first?.split(separator: ", ").map(String.init).contains(option) == true }
            return row.flatMap { $0.count > 2 ? Known(name: option, effect: $0[1], here: $0[2]) : nil }
        }
        self.known = known
        unknown = options.filter { option in !known.contains { $0.name == option } }
    }

    /// True if no option is known.
    var isUnknown: Bool { known.isEmpty }

    /// A sentence for each unknown option.
    var remarks: [String] {
        unknown.map { option in
            let near = option.nearest(among: Self.names).map { "; did you mean \($0)?" } ?? "."
            return
                "\(option.printable) is not a known option of nscurl\(near) atsgate explain \(Self.topic) lists those"
        }
    }

    /// Several lines of text for the user.
    var words: String {
        let width = 8
        let lines = known.flatMap { option in
            [
                "nscurl \(option.name)", "  " + "effect".padded(to: width) + option.effect,
                "  " + "here".padded(to: width) + option.here,
            ]
        }
        return (lines + remarks.map { "  " + $0 } + ["  " + "more".padded(to: width) + "atsgate explain law/nscurl"])
            .joined(separator: "\n")
    }

    /// One object on one line.
    var json: String {
        let options = known.map { option in
            JSONValue.object([
                ("option", .string(option.name)), ("effect", .string(option.effect)), ("here", .string(option.here)),
            ])
        }
        return JSONValue.object([
            ("topic", .string(Self.topic)), ("options", .array(options)), ("remarks", .texts(remarks)),
        ]).text
    }

    private static func isCommand(_ word: String) -> Bool { word == "nscurl" || word.hasSuffix("/nscurl") }

    private static func isOption(_ word: String) -> Bool {
        word.hasPrefix("-") && word.drop { $0 == "-" }.first?.isLetter == true
    }

    private static func hyphened(_ word: String) -> String { word.replacing("\u{2212}", with: "-") }

    private static let topic = "law/nscurl#options"
    private static var names: [String] {
        (Topic(topic)?.rows.dropFirst(2) ?? []).compactMap(\.first).flatMap {
            $0.split(separator: ", ").map(String.init)
        }
    }
}

extension ExplainCommand {
    /// Makes one subject of a command line of nscurl, or of one option that is not of this command.
    ///
    /// - Parameter arguments: those after the name of the command.
    static func joiningNSCurl(_ arguments: [String]) -> [String] {
        if let first = arguments.first, first == "nscurl" || first.hasSuffix("/nscurl"), arguments.count > 1 {
            return [arguments.joined(separator: " ")]
        }
        guard let option = arguments.first, option.hasPrefix("-"), !isOwn(option),
            let explained = NSCurlExplanation(option)
        else { return arguments }
        // `--verbose` alone would lack a subject; before others it is an option of explain.
        let isOfOther = arguments.count > 1 && (explained.isUnknown || option == "--verbose")
        return isOfOther ? arguments : ["\u{2212}" + arguments.joined(separator: " ").dropFirst()]
    }

    /// True for an option of explain that needs no subject, or that takes a value.
    private static func isOwn(_ option: String) -> Bool {
        let name = String(option.prefix { $0 != "=" })
        let flags = ["--json", "--plistbuddy", "--all-os", "--version", "--help", "-h", "--help-all", "--help-hidden"]
        return flags.contains(name) || name.hasPrefix("--experimental") || name.hasPrefix("--generate")
            || DeclaredCommand(ExplainCommand.self).arguments.contains {
                "--" + ($0.longName ?? "") == name && $0.sectionTitle != nil
            }
    }
}
