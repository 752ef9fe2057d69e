import ArgumentParser
import Foundation
import Setup

/// Takes away all that atsgate has put on this machine, but the program itself.
struct UninstallCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "uninstall",
        abstract: "Takes away the CA and its old keys, the store, and what setup changed.",
        discussion: """
            Says what goes, then takes it away; --dry-run only says it. Files that atsgate did not make stay. Devices \
            keep the CA until it is removed there: http://atsgate.test/ says how, as long as a gate runs.
            """)

    @Flag(help: "Only say what would go.")
    var dryRun = false

    @OptionGroup var files: DeclaredOptions<OwnFilesCatalogue>

    func run() throws {
        let choices = try files.choices()
        let journal = SetupJournal.ofThisUser
        let owned = OwnedFiles(authorityFolder: choices.authorityFolder, storePath: choices.storePath)
        let paths = owned.paths
        let changes = try settled { try journal.titles() }
        let lines = changes.map { "set-up  \($0)" } + paths.map { "file    \($0)" }
        guard !lines.isEmpty else { return StandardError.say("there is nothing to take away") }
        try Output.withOutput(to: nil) { try $0.write(Array((lines.joined(separator: "\n") + "\n").utf8)) }
        guard !dryRun else { return StandardError.say("nothing was taken away: --dry-run") }
        if !changes.isEmpty {
            guard Setup.isPossible else { throw CommandFailure.unavailable("taking back a set-up needs macOS") }
            // First: it needs the certificate.
            let (_, waiting) = try settled { try Setup.ofThisMachine.undo([.mac, .simulators]) }
            if let title = waiting.first {
                throw CommandFailure.output("the rest stays, for want of a way back: \(title): \(Setup.emptyKeychains)")
            }
        }
        try owned.remove()
        StandardError.say("taken away")
    }

    private func settled<Value>(_ body: () throws -> Value) throws -> Value {
        do { return try body() } catch let failure as SetupFailure { throw CommandFailure(failure) }
    }
}
