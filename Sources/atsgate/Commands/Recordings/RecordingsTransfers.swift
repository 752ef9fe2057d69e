import ArgumentParser
import Fleet
import Foundation
import Postgres
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
        try store.read { reader, path in
            try reader.check(recording: name, path: path)
            try checkFile(path)
            let loads = try Progress.during("copying", of: reader.counter) { try export(reader, path) }
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
    private func export(_ reader: StoreReader, _ store: String) throws -> Int {
        let names = try masking.names(beside: store)
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

struct RecordingsImportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import", abstract: "Imports the recordings of an exported file, or of another store.",
        discussion: "Loads that the store has already are not added again.")

    @OptionGroup var store: StoreOptions

    @Option(name: .customLong("as"), help: ArgumentHelp("A new name for the file's only recording.", valueName: "name"))
    var newName: String?

    @Argument(help: ArgumentHelp("The file to read.", valueName: "file"))
    var file: String

    func run() throws {
        if case .shared(let address) = store.options.choices.store { return try importIntoShared(to: address) }
        let path = try store.path()
        // A machine without recordings has no store yet.
        if store.options.choices.store == nil { try DataDirectory.prepare() }
        try StoreSink(path: path).close()
        let editor = try StoreEditor(path: path)
        let taken = try Progress.during("copying", of: editor.counter) {
            try editor.importRecordings(file, as: newName)
        }
        Self.tell(taken)
    }

    private static func tell(_ taken: (names: [String], added: Int, known: Int)) {
        let known = taken.known > 0 ? "; \(taken.known.loads) were here already" : ""
        let origin = taken.names.isEmpty ? "a file without recordings" : taken.names.shown
        StandardError.writeLine("atsgate: imported \(taken.added.loads) from \(origin)\(known)")
    }

    /// Imports through a temporary store, so that a file that cannot be imported completely changes nothing.
    private func importIntoShared(to address: PostgresAddress) throws {
        let passing = try TemporaryStore()
        defer { passing.remove() }
        do {
            try StoreSink(path: passing.path).close()
            let editor = try StoreEditor(path: passing.path)
            let taken = try Progress.during("copying", of: editor.counter) {
                try editor.importRecordings(file, as: newName)
            }
            try refuseTaken(taken.names, in: StoreReader(path: passing.path), at: address)
            let added = try SpoolShipment(path: passing.path).ship(to: address).added
            Self.tell((taken.names, added, taken.added - added))
        } catch let error as PostgresError {
            throw CommandFailure.unavailable("\(address.shown): \(error)".printable)
        } catch let error as SchemaError {
            throw CommandFailure(error, at: address)
        }
    }

    /// Refuses a name that another recording of the shared store has. An interrupted import is continued.
    private func refuseTaken(_ names: [String], in passing: StoreReader, at address: PostgresAddress) throws {
        try store.read { reader, _ in
            let there = Set(try reader.recordings().map(\.name))
            for name in names where there.contains(name) {
                // The oldest load arrives first.
                var oldest: String?
                try passing.forEachGroup(matching: RecordFilter(recording: name)) { oldest = oldest ?? $0.first.id }
                guard let oldest, try reader.record(id: oldest)?.recording != name else { continue }
                throw StoreError.nameTaken(path: address.shown, name: name)
            }
        }
    }
}
