import ArgumentParser
import Setup

/// The options that all setup commands share.
struct SetupChanges: ParsableArguments {
    @Flag(help: "Revert what was set up.")
    var undo = false

    @Flag(help: "Only list what would be changed, or reverted with --undo.")
    var dryRun = false

    var setup: Setup {
        var setup = Setup.ofThisMachine
        setup.isDryRun = dryRun
        return setup
    }

    /// Prints the changes that were made, or would be made.
    ///
    /// - Parameter undo: the command that reverts them.
    func printChanges(_ titles: [String], undo: String) {
        let head = dryRun ? "this would be set up:" : "set up; to revert it, run \(undo):"
        StandardError.writeLine(titles.isEmpty ? "everything is already set up" : head)
        titles.forEach { StandardError.writeLine("  " + $0) }
        if dryRun { StandardError.writeLine("nothing was changed: --dry-run") }
    }

    /// - Throws: `ExitCode` 1 if something could not be reverted, ``CommandFailure`` if reverting failed.
    func revert(
        _ kinds: Set<Setup.Kind>, emptiesKeychains: Bool = false, keepsKeys: Bool = false
    ) throws {
        guard !dryRun else {
            let titles = try SetupJournal.ofThisUser.titles(of: kinds)
            StandardError.writeLine(titles.isEmpty ? "nothing was set up" : "this would be reverted:")
            titles.forEach { StandardError.writeLine("  " + $0) }
            return
        }
        var setup = setup
        setup.keepsKeys = keepsKeys
        let (undone, waiting) = try setup.undo(kinds, emptiesKeychains: emptiesKeychains)
        if waiting.isEmpty || !undone.isEmpty {
            StandardError.writeLine(undone.isEmpty ? "nothing was set up" : "reverted:")
        }
        undone.forEach { StandardError.writeLine("  " + $0.title) }
        if undone.contains(where: { $0.kind == .simulators }) {
            StandardError.writeLine("a running simulator forgets the CA when it restarts")
        }
        waiting.forEach { StandardError.writeLine("not reverted: \($0): \(Setup.emptyKeychains)") }
        if !waiting.isEmpty { throw ExitCode(1) }
    }
}
