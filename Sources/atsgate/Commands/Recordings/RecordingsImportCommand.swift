import ArgumentParser
import Files
import Fleet
import Postgres
import Records
import Reporting
import Text

struct RecordingsImportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Imports exported recordings, stores and spools.",
        usage: "atsgate recordings import <file> ... [<options>]",
        discussion: """
            A file is an exported recording, or a store. Loads that the store already has are not added again. The \
            files stay.

            Into a shared store, a store or a spool is shipped as its gate does it: its loads join recordings of the \
            same names. An interrupted import can be repeated. --as imports it as an exported recording instead.

            Exit code: 0 when all files are imported; 65 for a file that cannot be read, has loads that the server \
            rejects, or whose name is taken; 69 as for atsgate store, and when a running gate ships the spool. The \
            other files are still imported.
            """)

    @OptionGroup var store: StoreOptions

    @Option(name: .customLong("as"), help: ArgumentHelp("A new name for the file's only recording.", valueName: "name"))
    var newName: String?

    @Argument(help: ArgumentHelp("The files to read.", valueName: "file"), completion: .file())
    var files: [String]

    func validate() throws {
        guard newName == nil || files.count == 1 else { throw ValidationError("--as works with exactly one file.") }
    }

    func run() throws {
        let choices = store.options.choices
        if case .shared(let address) = choices.store { return try importAll(into: address) }
        let path = try store.path()
        // A machine without recordings has no store yet.
        if choices.store == nil { try DataDirectory.prepare() }
        try StoreSink(path: path).close()
        let editor = try StoreEditor(path: path)
        try each { file in Self.tell(try Self.importFile(file, as: newName, with: editor)) }
    }

    /// Imports each file. One that fails does not keep the others from being imported.
    ///
    /// - Throws: ``CommandFailure`` of the only file; `ExitCode` with the highest code of several.
    private func each(_ body: (String) throws -> Void) throws {
        var worst: Int32 = 0
        for file in files {
            do { try body(file) } catch {
                guard files.count > 1, let failure = CommandFailure(of: error) else { throw error }
                StandardError.printError(failure.sentence)
                worst = max(worst, failure.exitCode)
            }
        }
        guard worst == 0 else { throw ExitCode(worst) }
    }

    /// A result of an import.
    private typealias Imported = (names: [String], added: Int, known: Int)

    private static func importFile(_ file: String, as name: String?, with editor: StoreEditor) throws -> Imported {
        try Progress.during("copying", of: editor.counter) { try editor.importRecordings(file, as: name) }
    }

    private static func tell(_ taken: Imported) {
        let known = taken.known > 0 ? "; \(taken.known.loads) were here already" : ""
        let origin = taken.names.isEmpty ? "a file without recordings" : taken.names.shown
        StandardError.writeLine("atsgate: imported \(taken.added.loads) from \(origin)\(known)")
    }

    private func importAll(into address: PostgresAddress) throws {
        // The address may contain a password, so the message does not repeat it.
        guard !files.contains(where: PostgresAddress.isOne) else {
            throw CommandFailure.usage(
                "import reads files, or ./NAME; name the shared store once: --store postgres://USER@HOST/DATABASE")
        }
        if let missing = PostgresLibrary.missing { throw CommandFailure.unavailable(missing) }
        for remark in address.remarks { StandardError.writeLine("atsgate: warning: \(remark)") }
        try each { file in
            guard newName == nil, Self.isDatabase(file) else { return try importExported(file, into: address) }
            let words = try SpoolShipment(path: file).ship(to: address).words
            try Output.withOutput(to: nil) { try $0.write(Array((words + "\n").utf8)) }
        }
    }

    /// True for an SQLite file. Source: sqlite.org/fileformat.html section 1.3.
    private static func isDatabase(_ path: String) -> Bool {
        let magic = Array("SQLite format 3\0".utf8)
        return (try? InputFile.bytes(of: path, upTo: magic.count)) == magic
    }

    /// Imports through a temporary store, so that a file that cannot be imported completely changes nothing.
    private func importExported(_ file: String, into address: PostgresAddress) throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let passing = folder.path(of: "records.sqlite")
        do {
            try StoreSink(path: passing).close()
            let taken = try Self.importFile(file, as: newName, with: StoreEditor(path: passing))
            try refuseTaken(taken.names, in: StoreReader(path: passing), at: address)
            let added = try SpoolShipment(path: passing).ship(to: address).added
            Self.tell((taken.names, added, taken.added - added))
        } catch let error as PostgresError {
            throw CommandFailure.unavailable("\(address.shown): \(error)".printable)
        } catch let error as SchemaError {
            throw CommandFailure(error, at: address)
        }
    }

    /// Refuses a name that another recording of the shared store has. An interrupted import is continued.
    private func refuseTaken(_ names: [String], in passing: StoreReader, at address: PostgresAddress) throws {
        let reader = try store.reader()
        let there = Set(try reader.recordings().map(\.name))
        for name in names where there.contains(name) {
            // The oldest load arrives first.
            let oldest = try passing.groups(of: name).first?.first.id
            guard let oldest, try reader.record(id: oldest)?.recording != name else { continue }
            throw StoreError.nameTaken(path: address.shown, name: name)
        }
    }
}
