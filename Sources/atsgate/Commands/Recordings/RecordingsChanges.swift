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
        let (editor, reader) = try store.editor()
        try reader.check(recording: name)
        guard !newName.isEmpty else { throw CommandFailure.usage("the new name is empty") }
        guard try !reader.recordings().contains(where: { $0.name == newName }) else {
            throw CommandFailure.badInput("\(reader.path) already has a recording \(newName)".printable)
        }
        try editor.rename(name, to: newName)
    }
}

struct RecordingsDeleteCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete",
        abstract: "Deletes recordings, or the oldest loads, and frees their disk space.",
        usage: """
            atsgate recordings delete <name> ... [<options>]
            atsgate recordings delete --older-than <age> --larger-than <size>
            """,
        discussion: """
            Asks on a terminal. --keep of proxy and run deletes old loads while a gate records.

            In a shared store, names free no disk space until their day is deleted; --older-than and --larger-than \
            delete whole days. The login needs atsgate_maintainer.
            """)

    @OptionGroup var store: StoreOptions

    @Option(
        help: ArgumentHelp("Delete loads that began longer ago: 12h, 30d, 2w.", valueName: "age"),
        transform: { try Retention.age(argument: $0) })
    var olderThan: Retention?

    @Option(
        help: ArgumentHelp(
            "Delete the oldest until the store is no larger: 500MB, 2GB. In a shared store, future days do not count.",
            valueName: "size"),
        transform: { try Retention.size(argument: $0) })
    var largerThan: Retention?

    @Flag(help: "Do not ask, also on a terminal.")
    var yes = false

    @Argument(
        help: ArgumentHelp("Names of the recordings.", valueName: "name"),
        completion: ShellCompletion.recordings.completion)
    var names: [String] = []

    func validate() throws {
        let isByLimit = olderThan != nil || largerThan != nil
        guard isByLimit || !names.isEmpty else {
            throw ValidationError("Name recordings, or use --older-than 30d, --larger-than 500MB, or both.")
        }
        guard !isByLimit || names.isEmpty else {
            throw ValidationError("--older-than and --larger-than are for all recordings: name none.")
        }
    }

    func run() throws {
        let (editor, reader) = try store.editor()
        let outcome = try names.isEmpty ? prune(editor, reader.path) : delete(editor, reader)
        StandardError.writeLine("atsgate: deleted \(outcome.loads.loads)")
        if outcome.space == .kept { StandardError.writeLine(stillAsLarge(reader.path)) }
    }

    private func delete(
        _ editor: any RecordingsEditor, _ reader: StoreReader
    ) throws -> (loads: Int, space: FreedSpace) {
        try names.forEach { try reader.check(recording: $0) }
        let loads = try reader.recordings().filter { names.contains($0.name) }.reduce(0) { $0 + $1.loads }
        try Confirmation.require("Delete \(loads.loads) of \(names.joined(separator: ", "))?", isGiven: yes)
        return try Progress.during("removing", of: editor.counter) { try editor.delete(names) }
    }

    private func prune(_ editor: any RecordingsEditor, _ path: String) throws -> (loads: Int, space: FreedSpace) {
        try Confirmation.require("Delete the oldest loads of \(path)?", isGiven: yes)
        let now = Int64(Date().timeIntervalSince1970 * 1000)
        return try Progress.during("removing", of: editor.counter) {
            try editor.prune([olderThan, largerThan].compactMap(\.self), now: now)
        }
    }
}

private func stillAsLarge(_ path: String) -> String {
    "atsgate: note: \(path) is still as large: another gate is using it, or the disk has no room to rewrite it"
}

extension Retention {
    /// - Throws: ``ValueProblem`` with the expected form.
    fileprivate static func age(argument: String) throws(ValueProblem) -> Retention {
        guard let limit = Retention(argument), case .age = limit else {
            throw ValueProblem("write an age: 12h, 30d or 2w")
        }
        return limit
    }

    /// - Throws: ``ValueProblem`` with the expected form.
    fileprivate static func size(argument: String) throws(ValueProblem) -> Retention {
        guard let limit = Retention(argument), case .bytes = limit else {
            throw ValueProblem("write a size: 500MB or 2GB")
        }
        return limit
    }
}
