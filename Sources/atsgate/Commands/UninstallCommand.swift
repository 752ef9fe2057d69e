import ArgumentParser
import Foundation
import Reporting
import Setup
import Text

/// Removes everything that atsgate has put on this machine, except the program.
struct UninstallCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "uninstall",
        abstract: "Removes the CA, and undoes setup.",
        discussion: """
            Lists what it will remove, asks on a terminal, and then removes it. Files that atsgate did not create \
            stay. Devices keep the CA until it is removed there: http://atsgate.test/ shows how while a gate runs.

            Exit code: 0; 64 without a terminal to ask on and without --yes; 69 while a gate uses the CA or the store; \
            74 for a file that cannot be removed. On failure nothing is removed, except, with 74, the files before \
            that one.
            """)

    @Flag(help: "Only list what would be removed.")
    var dryRun = false

    @Flag(name: .shortAndLong, help: "Do not ask; for scripts.")
    var yes = false

    @Flag(help: "Also remove the store with all recordings.")
    var recordings = false

    @OptionGroup(title: .inFullHelp("Files")) var authority: AuthorityOption
    @OptionGroup(title: .inFullHelp("Files")) var store: StoreOption

    func run() throws {
        let choices = GateChoices(authority, store)
        let owned = OwnedFiles(authorityFolder: choices.authorityFolder, storePath: choices.storePath)
        let changes = try SetupJournal.ofThisUser.titles()
        let contents = owned.storeContents
        let spools = owned.spoolContents
        let paths = owned.authorityFiles + (recordings ? owned.storeFiles + owned.spoolFiles : [])
        if !recordings, contents != nil || spools != nil {
            let stay = [contents, spools].compactMap(\.self).joined(separator: "; ")
            StandardError.writeLine("atsgate: recordings stay: \(stay); use --recordings to also remove them")
        }
        guard !(changes.isEmpty && paths.isEmpty) else {
            return StandardError.writeLine("atsgate: nothing to remove")
        }
        var lines = changes.map { "set-up  \($0)" } + owned.authorityFiles.map { row("CA", $0) }
        if recordings, let contents { lines.append("store   \(contents):") }
        if recordings { lines += owned.storeFiles.map { row("", $0) } }
        if recordings, let spools { lines += ["spools  \(spools):"] + owned.spoolFiles.map { row("", $0) } }
        let text = lines.map { $0.printable + "\n" }.joined()
        try Output.withOutput(to: nil) { try $0.write(Array(text.utf8)) }
        guard !dryRun else { return StandardError.writeLine("atsgate: nothing was removed: --dry-run") }
        let locks = try lock(owned)
        guard try yes || isWanted() else { return StandardError.writeLine("atsgate: nothing was removed") }
        try undo(changes)
        try withExtendedLifetime(locks) { try owned.remove(paths) }
        StandardError.writeLine("atsgate: removed")
    }

    private func row(_ kind: String, _ path: String) -> String {
        "\(kind.padded(to: 8))\(path)  (\(OwnedFiles.size(of: [path])))"
    }

    /// Locks the files before the user is asked, until they are removed.
    ///
    /// - Throws: ``CommandFailure`` with 69 while a gate uses one of the files.
    private func lock(_ owned: OwnedFiles) throws -> [UseLock] {
        func busy(_ path: String) -> CommandFailure {
            .unavailable("\(path) is in use: stop the gate, or the program that reads the store, first")
        }
        let stores = recordings ? owned.storeFiles.prefix(1) + owned.spools : []
        if let store = stores.first(where: StoreReader.isInUse) { throw busy(store) }
        do throws(UseLock.InUse) {
            var locks: [UseLock] = []
            for path in owned.authorityFiles {
                if let lock = try UseLock(alone: path) { locks.append(lock) }
            }
            return locks
        } catch {
            throw busy(error.path)
        }
    }

    /// - Throws: ``CommandFailure`` with 64 without a terminal.
    private func isWanted() throws -> Bool {
        guard Confirmation.isPossible else {
            throw CommandFailure.usage("no terminal to ask on: --yes removes this, --dry-run only lists it")
        }
        return Confirmation.ask("Remove this?")
    }

    /// Undoes the changes of setup. Runs first because it needs the certificate.
    private func undo(_ changes: [String]) throws {
        guard !changes.isEmpty else { return }
        let (_, waiting) = try Setup.ofThisMachine.undo(Set(Setup.Kind.allCases))
        guard let title = waiting.first else { return }
        throw CommandFailure.output(
            "nothing else was removed, because this cannot be undone: \(title): \(Setup.emptyKeychains)")
    }
}
