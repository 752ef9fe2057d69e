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

    /// Opens the store for reading.
    func reader() throws -> StoreReader { try options.choices.openedStore() }

    /// Opens the store for editing and reading.
    func editor() throws -> (editor: any RecordingsEditor, reader: StoreReader) {
        let path = try path()
        let address = ReadStores.address(of: path)
        let editor: any RecordingsEditor =
            if let address { try SharedEditor(address) } else { try StoreEditor(path: path) }
        return (editor, try ReadStores.open(path))
    }
}
