import ArgumentParser
import Reporting
import Text

struct RecordingsShowCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Shows one recording and how the loads of each host ended.")

    @OptionGroup var store: StoreOptions

    @Flag(help: "Print one JSON object, as list does, without the hosts' names.")
    var json = false

    @Argument(
        help: ArgumentHelp("Name of the recording. (default: the newest)", valueName: "name"),
        completion: ShellCompletion.recordings.completion)
    var name: String?

    func run() throws {
        let text = try store.read { reader, path in
            let name = try reader.name(of: name, path: path)
            guard let overview = try reader.overviews(of: name, withSizes: true).first else { return "" }
            if json { return overview.json.text + "\n" }
            let outline = try reader.outline(by: .host, of: RecordFilter(recording: name))
            return Self.lines(overview) + "\n" + outline.written(as: .text)
        }
        try Output.withOutput(to: nil) { try $0.write(Array(text.utf8)) }
    }

    private static func lines(_ overview: RecordingOverview) -> String {
        let rows = [
            ("name", overview.name),
            ("time", "\(overview.first.dayAndTime) UTC, for \(overview.lasted)"),
            ("loads", "\(overview.loads), \(overview.refused) of them blocked"),
            ("policy", overview.policies.joined(separator: ", ")),
            ("os", overview.systems.joined(separator: ", ")),
            ("mode", overview.modes.isEmpty ? "-" : overview.modes.map(\.rawValue).sorted().joined(separator: ", ")),
            ("devices", overview.labels.isEmpty ? "-" : overview.labels.joined(separator: ", ")),
            ("size", overview.size),
        ]
        return rows.map { "\($0.0.padded(to: 9))\($0.1.printable)\n" }.joined()
    }
}
