import ArgumentParser
import Foundation
import Records
import Reporting
import Text

struct RecordingsExportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Writes a recording as JSON lines to one file, to attach to a ticket.",
        discussion: """
            Each line is a record, or the facts of a handshake that records refer to. Any command reads the file with \
            --store FILE, and import adds it to another store. An existing file is replaced only with --force.
            """)

    @OptionGroup var store: StoreOptions

    @Argument(
        help: ArgumentHelp("Name of the recording.", valueName: "name"),
        completion: ShellCompletion.recordings.completion)
    var name: String

    @Argument(help: ArgumentHelp("The file to write.", valueName: "file"))
    var file: String

    @Flag(help: "Replace the file if it exists.")
    var force = false

    @OptionGroup(title: "Which names are shown") var masking: MaskingOptions

    func run() throws {
        let reader = try store.reader()
        try reader.check(recording: name)
        try checkFile(reader.path)
        let loads = try Progress.during("copying", of: reader.counter) { try export(reader) }
        StandardError.writeLine("atsgate: \(file) holds \(loads.loads); atsgate report --store \(file.shellWord)")
    }

    /// - Throws: ``CommandFailure`` with 64 for the store itself, and for a file that must not be replaced.
    private func checkFile(_ store: String) throws {
        guard !isSameFile(store, file) else { throw CommandFailure.usage("\(file) is the store itself") }
        var status = stat()
        guard lstat(file, &status) == 0 else { return }
        guard force else { throw CommandFailure.usage("\(file) already exists; --force replaces it") }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw CommandFailure.usage("\(file) is not a regular file, so it is not replaced")
        }
    }

    /// - Returns: The number of loads.
    private func export(_ reader: StoreReader) throws -> Int {
        let names = try masking.names(beside: reader.path)
        var loads = 0
        try Output.withOutput(to: file, holdsRecords: true) { output in
            loads = try reader.export(RecordFilter(recording: name), masking: names) { try output.write($0) }
        }
        return loads
    }

    private func isSameFile(_ one: String, _ other: String) -> Bool {
        func place(_ path: String) -> String { URL(fileURLWithPath: path).resolvingSymlinksInPath().path }
        return place(one) == place(other)
    }
}
