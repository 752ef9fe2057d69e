import ArgumentParser
import Setup

/// What every set-up can do with its changes.
struct SetupChanges: ParsableArguments {
    @Flag(help: "Revert what was set up.")
    var undo = false

    @Flag(help: "Only list what would be changed, or with --undo reverted.")
    var dryRun = false

    var setup: Setup {
        var setup = Setup.ofThisMachine
        setup.onlyLooks = dryRun
        return setup
    }

    /// Says what was done, or would be.
    ///
    /// - Parameter undo: the command that takes it back.
    func tell(_ titles: [String], undo: String) {
        let head = dryRun ? "this would be set up:" : "set up; \(undo) takes it back:"
        StandardError.say(titles.isEmpty ? "all was set up already" : head)
        titles.forEach { StandardError.say("  " + $0) }
        if dryRun { StandardError.say("nothing was changed: --dry-run") }
    }

    /// - Throws: `ExitCode` 1 where something could not be taken back, ``CommandFailure`` where that failed.
    func takeBack(
        _ kinds: Set<Setup.Kind>, emptiesKeychains: Bool = false, keepsKeys: Bool = false
    ) throws {
        guard !dryRun else {
            let titles = try setupping { try SetupJournal.ofThisUser.titles(of: kinds) }
            StandardError.say(titles.isEmpty ? "nothing was set up" : "what was set up, and would be taken back:")
            titles.forEach { StandardError.say("  " + $0) }
            return
        }
        var setup = setup
        setup.keepsKeys = keepsKeys
        let (undone, waiting) = try setupping { try setup.undo(kinds, emptiesKeychains: emptiesKeychains) }
        if waiting.isEmpty || !undone.isEmpty {
            StandardError.say(undone.isEmpty ? "nothing was set up" : "taken back:")
        }
        undone.forEach { StandardError.say("  " + $0.title) }
        if undone.contains(where: { $0.kind == .simulators }) {
            StandardError.say("a simulator that is running forgets the CA when it is restarted")
        }
        waiting.forEach { StandardError.say("left: \($0): \(Setup.emptyKeychains)") }
        if !waiting.isEmpty { throw ExitCode(1) }
    }

    /// Runs with the errors of Setup as failures of the command.
    func setupping<Value>(_ body: () throws -> Value) throws -> Value {
        do { return try body() } catch let failure as SetupFailure { throw CommandFailure(failure) }
    }
}
