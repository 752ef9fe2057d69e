import ArgumentParser
import Reporting

/// Which recording of a store a command is about.
struct RecordingChoice: ParsableArguments {
    @Option(help: ArgumentHelp("The run of this name. (default: the newest)", valueName: "name"))
    var recording: String?

    @Flag(help: "All recordings of the store.")
    var all = false

    func validate() throws {
        guard all, recording != nil else { return }
        throw ValidationError("Of --recording and --all, one will do.")
    }

    /// The recording's name; nil for all.
    ///
    /// - Throws: ``CommandFailure`` with 65 when it is not there, with 3 when nothing is.
    func name(in reader: StoreReader, path: String) throws -> String? {
        guard let newest = try reader.recordings().last?.name else {
            throw CommandFailure.nothing("\(path) holds no loads")
        }
        guard !all else { return nil }
        try recording.map { try reader.check(recording: $0, path: path) }
        return recording ?? newest
    }
}

extension StoreReader {
    /// - Throws: ``CommandFailure`` with 65 that says what there is instead.
    func check(recording: String, path: String) throws {
        let names = try recordings().map(\.name)
        guard !names.contains(recording) else { return }
        let known = names.isEmpty ? "it is empty" : "it has " + names.suffix(namesShown).joined(separator: ", ")
        throw CommandFailure.badInput("\(path) has no recording \(recording); \(known)")
    }
}

private let namesShown = 10
