import ArgumentParser
import Postgres
import Reporting
import Text

/// Commands for the recordings of the store.
struct RecordingsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "recordings",
        abstract: "Lists, exports, imports and deletes recordings.",
        discussion: """
            They work while gates record into the store. Exit code: 0; 65 for a recording that does \
            not exist, a name that is taken, or a store that cannot be read completely; 69 as for atsgate store.
            """,
        subcommands: [
            RecordingsListCommand.self, RecordingsRenameCommand.self, RecordingsDeleteCommand.self,
            RecordingsExportCommand.self, RecordingsImportCommand.self,
        ],
        defaultSubcommand: RecordingsListCommand.self)
}

/// The store that a subcommand works on.
struct StoreOptions: ParsableArguments {
    @OptionGroup(title: .inFullHelp("Files")) var options: StoreOption

    /// - Throws: ``CommandFailure``.
    func path() throws -> String {
        guard let path = options.choices.readPath else {
            throw CommandFailure.usage("name the store to read: --store PATH")
        }
        return path
    }

    /// Opens the store for reading, and calls `body` with the reader and the path.
    func read<Answer>(_ body: (StoreReader, String) throws -> Answer) throws -> Answer {
        let (reader, path) = try options.choices.openedStore()
        return try body(reader, path)
    }

    /// Opens the store for reading and editing.
    func edit<Answer>(_ body: (any RecordingsEditor, StoreReader, String) throws -> Answer) throws -> Answer {
        let path = try path()
        let address = ReadStores.address(of: path)
        let editor: any RecordingsEditor =
            if let address { try SharedEditor(address) } else { try StoreEditor(path: path) }
        return try body(editor, ReadStores.open(path), path)
    }
}
