import ArgumentParser
import Reporting
import Text

/// The recording that a command reads.
struct RecordingChoice: ParsableArguments {
    @Option(
        name: .customLong("recording"),
        help: ArgumentHelp("The recording to use. (default: the newest)", valueName: "name"),
        completion: ShellCompletion.recordings.completion)
    var names: [String] = []

    @Flag(help: "Use all recordings in the store.")
    var all = false

    func validate() throws {
        try Self.checkOne(names, instead: ", or --all")
        guard !all || names.isEmpty else { throw ValidationError("--recording and --all cannot be combined.") }
    }

    /// - Parameter instead: an alternative for the error.
    /// - Throws: `ValidationError` for two names.
    static func checkOne(_ names: [String], instead: String = "") throws {
        guard names.count < 2 else { throw ValidationError("--recording is given twice; name one\(instead).") }
    }

    /// True if an option is given.
    var isGiven: Bool { all || !names.isEmpty }

    /// The recording's name; nil for all.
    ///
    /// - Throws: ``CommandFailure`` with 65 if it does not exist, with 3 if the store is empty.
    func name(in reader: StoreReader, path: String) throws -> String? {
        let name = try reader.name(of: names.first, path: path)
        return all ? nil : name
    }

    /// The recordings to report on, and those that `all` leaves out. Enforced and audited loads are never combined, so
    /// the mode of the newest one decides.
    ///
    /// - Throws: like ``name(in:path:)``.
    func recordings(
        in reader: StoreReader, path: String
    ) throws -> (chosen: [RecordingOverview], leftOut: [RecordingOverview]) {
        if let name = try name(in: reader, path: path) { return (try reader.overviews(of: name), []) }
        let overviews = try reader.overviews()
        guard let mode = overviews.last(where: { !$0.modes.isEmpty })?.modes else { return (overviews, []) }
        let chosen = overviews.filter { $0.modes.isSubset(of: mode) }
        return (chosen, overviews.filter { !$0.modes.isSubset(of: mode) })
    }
}

extension StoreReader {
    /// The recording of this name, or the newest for nil.
    ///
    /// - Throws: ``CommandFailure`` with 65 if it does not exist, with 3 if the store is empty.
    func name(of recording: String?, path: String) throws -> String {
        guard let newest = try recordings().last?.name else {
            throw CommandFailure.nothing("\(path) contains no loads")
        }
        guard let recording else { return newest }
        try check(recording: recording, path: path)
        return recording
    }

    /// - Throws: ``CommandFailure`` with 65 that names existing recordings.
    func check(recording: String, path: String) throws {
        let names = try recordings().map(\.name)
        guard !names.contains(recording) else { return }
        let hint = recording.nearest(among: names).map { "did you mean \($0)?" }
        let known =
            hint ?? (names.isEmpty ? "it is empty" : "it has " + names.suffix(namesShown).joined(separator: ", "))
        throw CommandFailure.badInput("\(path) has no recording \(recording); \(known)".printable)
    }
}

private let namesShown = 10
