import ArgumentParser
import Foundation
import Reporting
import Text

struct RecordingsRenameCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rename", abstract: "Gives a recording another name, in its records too.")

    @OptionGroup var store: StoreOptions

    @Argument(help: ArgumentHelp("Its name.", valueName: "name"), completion: ShellCompletion.recordings.completion)
    var name: String

    @Argument(help: ArgumentHelp("The new name.", valueName: "new-name"))
    var newName: String

    func run() throws {
        try store.edit { editor, reader, path in
            try reader.check(recording: name, path: path)
            guard !newName.isEmpty else { throw CommandFailure.usage("the new name is empty") }
            guard try !reader.recordings().contains(where: { $0.name == newName }) else {
                throw CommandFailure.badInput("\(path) has a recording \(newName) already".printable)
            }
            try editor.rename(name, to: newName)
        }
    }
}

struct RecordingsDeleteCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete", abstract: "Deletes recordings, and frees their disk space.",
        discussion: "In a shared store, the server keeps the space for other loads until their day is pruned.")

    @OptionGroup var store: StoreOptions

    @Argument(
        help: ArgumentHelp("Names of the recordings.", valueName: "name"),
        completion: ShellCompletion.recordings.completion)
    var names: [String]

    func run() throws {
        try store.edit { editor, reader, path in
            try names.forEach { try reader.check(recording: $0, path: path) }
            let outcome = try Progress.during("removing", of: editor.counter) { try editor.delete(names) }
            StandardError.say("atsgate: took out \(outcome.loads.loads)")
            if outcome.space == .kept { StandardError.say(stillAsLarge(path)) }
        }
    }
}

struct RecordingsPruneCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "prune",
        abstract: "Deletes the oldest loads of the store, and frees their disk space.",
        discussion: """
            --keep of proxy and run does the same while a gate records. In a shared store, whole days are deleted, \
            by a login with atsgate_maintainer.
            """)

    @OptionGroup var store: StoreOptions

    @Option(help: ArgumentHelp("Loads that began longer ago: 12h, 30d, 2w.", valueName: "age"))
    var olderThan: Retention?

    @Option(
        help: ArgumentHelp(
            "The oldest, until the store is no larger: 500MB, 2GB. Of a shared store days of the coming week do not count.",
            valueName: "size"))
    var largerThan: Retention?

    func validate() throws {
        guard olderThan != nil || largerThan != nil else {
            throw ValidationError("Say what is to go: --older-than 30d, --larger-than 500MB, or both.")
        }
        if case .bytes = olderThan { throw ValidationError("--older-than is an age: 12h, 30d, 2w.") }
        if case .age = largerThan { throw ValidationError("--larger-than is a size: 500MB, 2GB.") }
    }

    func run() throws {
        try store.edit { editor, _, path in
            let now = Int64(Date().timeIntervalSince1970 * 1000)
            let outcome = try Progress.during("removing", of: editor.counter) {
                try editor.prune([olderThan, largerThan].compactMap(\.self), now: now)
            }
            StandardError.say("atsgate: took out \(outcome.loads.loads)")
            if outcome.space == .kept { StandardError.say(stillAsLarge(path)) }
        }
    }
}

private func stillAsLarge(_ path: String) -> String {
    "atsgate: note: \(path) stays as large for now: another gate is at work, or the disk has no room to write it anew"
}
