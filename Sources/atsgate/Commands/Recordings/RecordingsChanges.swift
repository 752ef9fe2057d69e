import ArgumentParser
import Foundation
import Reporting
import Text

struct RecordingsRenameCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rename", abstract: "Renames a recording, also in its records.")

    @OptionGroup var store: StoreOptions

    @Argument(help: ArgumentHelp("The old name.", valueName: "name"), completion: ShellCompletion.recordings.completion)
    var name: String

    @Argument(help: ArgumentHelp("The new name.", valueName: "new-name"))
    var newName: String

    func run() throws {
        try store.edit { editor, reader, path in
            try reader.check(recording: name, path: path)
            guard !newName.isEmpty else { throw CommandFailure.usage("the new name is empty") }
            guard try !reader.recordings().contains(where: { $0.name == newName }) else {
                throw CommandFailure.badInput("\(path) already has a recording \(newName)".printable)
            }
            try editor.rename(name, to: newName)
        }
    }
}

struct RecordingsDeleteCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete", abstract: "Deletes recordings and frees their disk space.",
        discussion: "In a shared store, the server keeps the space for other loads until their day is pruned.")

    @OptionGroup var store: StoreOptions

    @Argument(
        help: ArgumentHelp("Names of the recordings.", valueName: "name"),
        completion: ShellCompletion.recordings.completion)
    var names: [String]

    @Flag(help: "Do not ask, also on a terminal.")
    var yes = false

    func run() throws {
        try store.edit { editor, reader, path in
            try names.forEach { try reader.check(recording: $0, path: path) }
            let loads = try reader.recordings().filter { names.contains($0.name) }.reduce(0) { $0 + $1.loads }
            try Confirmation.require("Delete \(loads.loads) of \(names.joined(separator: ", "))?", isGiven: yes)
            let outcome = try Progress.during("removing", of: editor.counter) { try editor.delete(names) }
            StandardError.writeLine("atsgate: deleted \(outcome.loads.loads)")
            if outcome.space == .kept { StandardError.writeLine(stillAsLarge(path)) }
        }
    }
}

struct RecordingsPruneCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "prune",
        abstract: "Deletes the oldest loads of the store and frees their disk space.",
        discussion: """
            --keep of proxy and run does the same while a gate records. In a shared store, whole days are deleted, and \
            the login needs atsgate_maintainer.
            """)

    @OptionGroup var store: StoreOptions

    @Option(help: ArgumentHelp("Delete loads that began longer ago: 12h, 30d, 2w.", valueName: "age"))
    var olderThan: Retention?

    @Option(
        help: ArgumentHelp(
            "Delete the oldest until the store is no larger: 500MB, 2GB. In a shared store, future days do not count.",
            valueName: "size"))
    var largerThan: Retention?

    func validate() throws {
        guard olderThan != nil || largerThan != nil else {
            throw ValidationError("Use --older-than 30d, --larger-than 500MB, or both.")
        }
        if case .bytes = olderThan { throw ValidationError("--older-than takes an age: 12h, 30d, 2w.") }
        if case .age = largerThan { throw ValidationError("--larger-than takes a size: 500MB, 2GB.") }
    }

    func run() throws {
        try store.edit { editor, _, path in
            let now = Int64(Date().timeIntervalSince1970 * 1000)
            let outcome = try Progress.during("removing", of: editor.counter) {
                try editor.prune([olderThan, largerThan].compactMap(\.self), now: now)
            }
            StandardError.writeLine("atsgate: deleted \(outcome.loads.loads)")
            if outcome.space == .kept { StandardError.writeLine(stillAsLarge(path)) }
        }
    }
}

private func stillAsLarge(_ path: String) -> String {
    "atsgate: note: \(path) is still as large: another gate is using it, or the disk has no room to rewrite it"
}
