import ArgumentParser
import Reporting
import Text

struct RecordingsCheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Checks every page and every load of the store.",
        discussion: """
            A damaged store is not read.

            Exit code: 0 when everything can be read; 65 when something cannot.
            """)

    @OptionGroup var store: StoreOptions

    func run() throws {
        let path = try store.filePath(instead: "atsgate store check")
        let reader = try StoreReader(path: path)
        let loads = try Progress.during("checking", of: reader.counter) { try reader.checkWhole() }
        let recordings = try reader.recordings().count
        let words =
            "\(recordings) \(recordings == 1 ? "recording" : "recordings"), \(loads.loads): all can be read\n"
        try Output.withOutput(to: nil) { try $0.write(Array(words.utf8)) }
    }
}
