import ArgumentParser
import Foundation
import Reporting
import Text

struct RecordingsExportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Writes a recording into one file, to attach to a ticket.",
        discussion: """
            The file is a store of its own: any command opens it by --store FILE, and import takes it into another \
            store. What is at its path is replaced.
            """)

    @OptionGroup var store: StoreOptions

    @Argument(
        help: ArgumentHelp("Name of the recording.", valueName: "name"),
        completion: Suggestion.recordings.completion)
    var name: String

    @Argument(help: ArgumentHelp("The file to write.", valueName: "file"))
    var file: String

    @OptionGroup(title: "What is told of names") var masking: MaskingOptions

    func run() throws {
        try store.read { reader, path in
            try reader.check(recording: name, path: path)
            guard !isSameFile(path, file) else { throw CommandFailure.usage("\(file) is the store itself") }
            let loads =
                if let names = try masking.names(beside: path) {
                    try reader.export(RecordFilter(recording: name), masking: names, to: file).loads
                } else {
                    try reader.export(name, to: file)
                }
            StandardError.say("atsgate: \(file) holds \(loads.loads); atsgate report --store \(file.shellWord)")
        }
    }

    private func isSameFile(_ one: String, _ other: String) -> Bool {
        func place(_ path: String) -> String { URL(fileURLWithPath: path).resolvingSymlinksInPath().path }
        return place(one) == place(other)
    }
}

struct RecordingsImportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import", abstract: "Takes the recordings of a file that export wrote into the store.")

    @OptionGroup var store: StoreOptions

    @Option(name: .customLong("as"), help: ArgumentHelp("What its one recording is to be called.", valueName: "name"))
    var newName: String?

    @Argument(help: ArgumentHelp("The file to read.", valueName: "file"))
    var file: String

    func run() throws {
        let path = try store.path()
        do {
            // A machine that has recorded nothing yet has no store.
            if try store.options.choices().store == nil { try DataDirectory.prepare() }
            try StoreSink(path: path).close()
            let taken = try StoreEditor(path: path).takeIn(file, as: newName)
            StandardError.say("atsgate: took in \(taken.loads.loads) of \(taken.names.shown)")
        } catch let error as StoreError {
            throw CommandFailure(error)
        }
    }
}
