import ArgumentParser
import Fleet
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

/// Changes the recordings of a store: of a file, or of a shared store.
protocol RecordingsEditor {
    /// Counts deleted loads.
    var counter: WorkCounter { get }

    func rename(_ old: String, to new: String) throws

    /// - Returns: The number of deleted loads, and the state of their space.
    func delete(_ recordings: [String]) throws -> (loads: Int, space: FreedSpace)

    /// - Parameter now: milliseconds since 1970-01-01 UTC.
    func prune(_ retentions: [Retention], now: Int64) throws -> (loads: Int, space: FreedSpace)
}

extension StoreEditor: RecordingsEditor {}

/// A shared store, for its maintainer. Pruning deletes whole days.
struct SharedEditor: RecordingsEditor {
    let counter = WorkCounter()
    private let recordings: SharedRecordings

    /// - Throws: `StoreError`.
    init(_ address: PostgresAddress) throws(StoreError) {
        recordings = try SharedRecordings(address)
    }

    func rename(_ old: String, to new: String) throws { try recordings.rename(old, to: new) }

    /// Deletes rows. The server does not return their space. Source: PostgreSQL, Routine Vacuuming, Recovering Disk
    /// Space.
    func delete(_ names: [String]) throws -> (loads: Int, space: FreedSpace) {
        (try recordings.delete(names), .reused)
    }

    /// Drops the tables of whole days, and their files with them.
    func prune(_ retentions: [Retention], now: Int64) throws -> (loads: Int, space: FreedSpace) {
        var (age, bytes): (Int64?, Int64?) = (nil, nil)
        for retention in retentions {
            switch retention {
            case .age(let limit): age = limit.components.seconds * 1000
            case .bytes(let limit): bytes = limit
            }
        }
        let outcome = try recordings.prune(DayRetention(ageMilliseconds: age, bytes: bytes)) { day, loads in
            StandardError.writeLine("atsgate: deleted day \(day) with \(Int(loads).loads)")
        }
        return (Int(outcome.loads), .returned)
    }
}
