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
        setup.onlyLooks = dryRun
        return setup
    }

    /// Prints the changes that were made, or would be made.
    ///
    /// - Parameter undo: the command that reverts them.
    func tell(_ titles: [String], undo: String) {
        let head = dryRun ? "this would be set up:" : "set up; to revert it, run \(undo):"
        StandardError.say(titles.isEmpty ? "everything is already set up" : head)
        titles.forEach { StandardError.say("  " + $0) }
        if dryRun { StandardError.say("nothing was changed: --dry-run") }
    }

    /// - Throws: `ExitCode` 1 if something could not be reverted, ``CommandFailure`` if reverting failed.
    func takeBack(
        _ kinds: Set<Setup.Kind>, emptiesKeychains: Bool = false, keepsKeys: Bool = false
    ) throws {
        guard !dryRun else {
            let titles = try setupping { try SetupJournal.ofThisUser.titles(of: kinds) }
            StandardError.say(titles.isEmpty ? "nothing was set up" : "this would be reverted:")
            titles.forEach { StandardError.say("  " + $0) }
            return
        }
        var setup = setup
        setup.keepsKeys = keepsKeys
        let (undone, waiting) = try setupping { try setup.undo(kinds, emptiesKeychains: emptiesKeychains) }
        if waiting.isEmpty || !undone.isEmpty {
            StandardError.say(undone.isEmpty ? "nothing was set up" : "reverted:")
        }
        undone.forEach { StandardError.say("  " + $0.title) }
        if undone.contains(where: { $0.kind == .simulators }) {
            StandardError.say("a running simulator forgets the CA when it restarts")
        }
        waiting.forEach { StandardError.say("not reverted: \($0): \(Setup.emptyKeychains)") }
        if !waiting.isEmpty { throw ExitCode(1) }
    }

    /// Runs `body` and converts errors of Setup to ``CommandFailure``.
    func setupping<Value>(_ body: () throws -> Value) throws -> Value {
        do { return try body() } catch let failure as SetupFailure { throw CommandFailure(failure) }
    }
}
