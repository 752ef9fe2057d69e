import ArgumentParser
import Fleet
import Foundation
import Postgres
import Reporting
import Text

struct RecordingsExportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Writes a recording to one file, to attach to a ticket.",
        discussion: """
            The file is a store: any command opens it with --store FILE, and import adds it to another store. An \
            existing file is replaced only with --force.
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
        try store.read { reader, path in
            try reader.check(recording: name, path: path)
            try checkFile(path)
            let loads = try Progress.during("copying", of: reader.counter) {
                do {
                    return try Drafts.replacing(file) { try export(reader, path, to: $0) }
                } catch let failure as Output.Failure {
                    throw CommandFailure.output("\(file) cannot be written: \(failure)")
                }
            }
            StandardError.writeLine("atsgate: \(file) holds \(loads.loads); atsgate report --store \(file.shellWord)")
        }
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
    private func export(_ reader: StoreReader, _ store: String, to draft: String) throws -> Int {
        do {
            guard let names = try masking.names(beside: store) else { return try reader.export(name, to: draft) }
            return try reader.export(RecordFilter(recording: name), masking: names, to: draft).loads
        } catch StoreError.missingFolder(_, let folder) {
            throw StoreError.missingFolder(path: file, folder: folder)
        }
    }

    private func isSameFile(_ one: String, _ other: String) -> Bool {
        func place(_ path: String) -> String { URL(fileURLWithPath: path).resolvingSymlinksInPath().path }
        return place(one) == place(other)
    }
}

struct RecordingsImportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import", abstract: "Imports the recordings of an exported file into the store.")

    @OptionGroup var store: StoreOptions

    @Option(name: .customLong("as"), help: ArgumentHelp("A new name for the file's only recording.", valueName: "name"))
    var newName: String?

    @Argument(help: ArgumentHelp("The file to read.", valueName: "file"))
    var file: String

    func run() throws {
        if case .shared(let address) = try store.options.choices().store { return try importIntoShared(to: address) }
        let path = try store.path()
        do {
            // A machine without recordings has no store yet.
            if try store.options.choices().store == nil { try DataDirectory.prepare() }
            try StoreSink(path: path).close()
            let editor = try StoreEditor(path: path)
            let taken = try Progress.during("copying", of: editor.counter) {
                try editor.importRecordings(file, as: newName)
            }
            StandardError.writeLine("atsgate: imported \(taken.loads.loads) from \(taken.names.shown)")
        } catch let error as StoreError {
            throw CommandFailure(error)
        }
    }

    /// Imports through a temporary store, so that a file that cannot be imported completely changes nothing.
    private func importIntoShared(to address: PostgresAddress) throws {
        let passing = try TemporaryStore()
        defer { passing.remove() }
        do {
            let shared = Set(try store.read { reader, _ in try reader.recordings().map(\.name) })
            try StoreSink(path: passing.path).close()
            let editor = try StoreEditor(path: passing.path)
            let taken = try Progress.during("copying", of: editor.counter) {
                try editor.importRecordings(file, as: newName)
            }
            try ImportedSpool.identify(
                Spool(path: passing.path), names: taken.names, among: shared, at: address, as: SpoolShipment.gate,
                timeout: SpoolShipment.timeout)
            _ = try SpoolShipment(path: passing.path).ship(to: address)
            StandardError.writeLine("atsgate: imported \(taken.loads.loads) from \(taken.names.shown)")
        } catch let error as StoreError {
            throw CommandFailure(error)
        } catch let error as PostgresError {
            throw CommandFailure.unavailable("\(address.shown): \(error)".printable)
        } catch let error as SchemaError {
            throw CommandFailure(error, at: address)
        }
    }
}
