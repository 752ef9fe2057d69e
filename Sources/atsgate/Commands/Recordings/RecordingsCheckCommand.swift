import ArgumentParser
import Reporting
import Text

struct RecordingsCheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Checks every row of the store.",
        discussion: """
            Damaged rows are skipped by all commands. To keep the others, export each recording, and import the files \
            into a new store.

            Exit code: 0 when everything can be read; 65 when something cannot.
            """)

    @OptionGroup var store: StoreOptions

    func run() throws {
        let path = try store.filePath(instead: "atsgate store check")
        do {
            let check = try StoreCheck(path: path)
            try Output.withOutput(to: nil) { try $0.write(Array(Self.text(check).utf8)) }
            if !check.isSound { throw ExitCode(65) }
        } catch let error as StoreError {
            throw CommandFailure(error)
        }
    }

    private static func text(_ check: StoreCheck) -> String {
        let parts = check.tables.map { ($0.name, $0) } + check.recordings.map { ("recording " + $0.name.printable, $0) }
        let width = parts.map(\.0.count).max() ?? 0
        let lines = parts.map { name, part in
            "\(name.padded(to: width))  \(part.sound) sound"
                + (part.unreadable == 0 ? "" : ", \(part.unreadable) unreadable")
        }
        return (lines + check.remarks.map(\.printable)).map { $0 + "\n" }.joined()
            + (check.isSound ? "everything can be read\n" : "")
    }
}
