import ArgumentParser
import Reporting
import Text

struct RecordingsCheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Checks every row of the store and repairs damage.",
        discussion: """
            --repair rebuilds the store from everything that can be read; the old file stays next to it, with the \
            suffix .damaged. No gate may record into the store during the repair.

            Exit code: 0 when everything can be read or was repaired; 65 when something cannot.
            """)

    @OptionGroup var store: StoreOptions

    @Flag(help: "Rebuild the store from what can be read.")
    var repair = false

    func run() throws {
        let path = try store.filePath(instead: "atsgate store check")
        do {
            let check = try StoreCheck(path: path)
            try Output.withOutput(to: nil) { try $0.write(Array(Self.text(check).utf8)) }
            guard !check.isSound else { return }
            guard repair else { throw ExitCode(65) }
            let outcome = try StoreRepair(path: path)
            let loads = outcome.kept.values.reduce(0, +)
            StandardError.writeLine(
                "atsgate: \(path.printable) now holds \(loads.loads) of \(outcome.kept.count) recordings")
            if let left = outcome.left { StandardError.writeLine("atsgate: \(left)") }
            StandardError.writeLine("atsgate: backup: \(outcome.backup.printable)")
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
