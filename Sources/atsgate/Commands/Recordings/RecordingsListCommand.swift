import ArgumentParser
import Diagnosis
import Records
import Reporting
import Text

struct RecordingsListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Lists the recordings, one per line, the last used one at the end.",
        discussion: "For the hosts of a recording: atsgate report --recording NAME --by host.")

    @OptionGroup var store: StoreOptions

    @Flag(help: "Print one JSON object per recording, one per line.")
    var json = false

    @Argument(
        help: ArgumentHelp("List only these recordings.", valueName: "name"),
        completion: ShellCompletion.recordings.completion)
    var names: [String] = []

    func run() throws {
        let reader = try store.reader()
        try names.forEach { try reader.check(recording: $0) }
        let overviews = try reader.overviews(of: names.count == 1 ? names[0] : nil, withSizes: true)
            .filter { names.isEmpty || names.contains($0.name) }
        let text = json ? overviews.map { $0.json.text + "\n" }.joined() : Self.table(overviews)
        try Output.withOutput(to: nil) { try $0.write(Array(text.utf8)) }
    }

    private static func table(_ overviews: [RecordingOverview]) -> String {
        let head = ["NAME", "START (UTC)", "LASTED", "LOADS", "BLOCKED", "HOSTS", "SIZE", "MODE", "OS", "POLICY"]
        let lines = [head] + overviews.map { $0.cells.map(\.printable) }
        let widths = head.indices.map { column in lines.map { $0[column].count }.max() ?? 0 }
        return lines.map { line in
            line.indices.map { column in
                if column == line.count - 1 { return line[column] }
                return (2...6).contains(column)
                    ? line[column].rightAligned(to: widths[column]) : line[column].padded(to: widths[column])
            }.joined(separator: "  ") + "\n"
        }.joined()
    }
}

extension RecordingOverview {
    fileprivate var cells: [String] {
        [
            name, first.dayAndTime, lasted, "\(loads)", "\(refused)", "\(hosts)", size,
            Self.cell(modes.map(\.rawValue).sorted()),
            Self.cell(systems), Self.cell(policies),
        ]
    }

    private static func cell(_ names: [String]) -> String { names.isEmpty ? "-" : names.joined(separator: ", ") }

    /// The time between the starts of the first and the last load.
    var lasted: String {
        let seconds = (last - first) / 1000
        if seconds < 60 { return "\(seconds)s" }
        if seconds < 3600 { return "\(seconds / 60)m" }
        return seconds < 2 * Day.seconds ? "\(seconds / 3600)h\(seconds / 60 % 60)m" : "\(seconds / Day.seconds)d"
    }

    /// Loads that a device blocks, whether or not the gate let them pass.
    var refused: Int { counts.blocked }

    /// For example `12 kB`; `-` if it was not measured.
    var size: String {
        bytes?.asSize ?? "-"
    }

    /// All facts; times are in milliseconds since 1970-01-01 UTC.
    var json: JSONValue {
        func list(_ names: [String]) -> JSONValue { .array(names.map { .string($0) }) }
        let verdicts = counts.sorted { $0.key.rawValue < $1.key.rawValue }
        return .object([
            ("name", .string(name)), ("first", .number(Int(first))), ("last", .number(Int(last))),
            ("loads", .number(loads)), ("verdicts", .object(verdicts.map { ($0.key.rawValue, .number($0.value)) })),
            ("hosts", .number(hosts)), ("policies", list(policies)), ("os", list(systems)),
            ("modes", list(modes.map(\.rawValue).sorted())), ("labels", list(labels)),
            ("bytes", .number(bytes.map { Int($0) })),
        ])
    }
}
