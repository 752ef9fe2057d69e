import ATSPolicy
import ArgumentParser
import Fleet
import Foundation
import Postgres
import ProxyServer
import Records
import Reporting
import Synchronization
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
    func name(in reader: StoreReader) throws -> String? {
        let name = try reader.name(of: names.first)
        return all ? nil : name
    }

    /// The recordings to report on, and those that `all` leaves out. Enforced and audited loads are never combined, so
    /// the mode of the newest one decides.
    ///
    /// - Throws: like ``name(in:)``.
    func recordings(in reader: StoreReader) throws -> (chosen: [RecordingOverview], leftOut: [RecordingOverview]) {
        if let name = try name(in: reader) { return (try reader.overviews(of: name), []) }
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
    func name(of recording: String?) throws -> String {
        guard let newest = try recordings().last?.name else {
            throw CommandFailure.nothing("\(path) contains no loads")
        }
        guard let recording else { return newest }
        try check(recording: recording)
        return recording
    }

    /// - Throws: ``CommandFailure`` with 65 that names existing recordings.
    func check(recording: String) throws {
        let names = try recordings().map(\.name)
        guard !names.contains(recording) else { return }
        let hint = recording.nearest(among: names).map { "did you mean \($0)?" }
        let known =
            hint ?? (names.isEmpty ? "it is empty" : "it has " + names.suffix(namesShown).joined(separator: ", "))
        throw CommandFailure.badInput("\(path) has no recording \(recording); \(known)".printable)
    }

    /// The groups of a recording.
    ///
    /// - Throws: ``CommandFailure`` with 65 if it does not exist.
    func groups(of recording: String) throws -> [LoadGroup] {
        try check(recording: recording)
        var groups: [LoadGroup] = []
        try forEachGroup(matching: RecordFilter(recording: recording)) { groups.append($0) }
        return groups
    }

    /// Calls `body` with the loads that match, in groups that can be judged again.
    ///
    /// - Throws: ``CommandFailure`` with 65 for a load of an unknown release, with 3 if no load matches.
    func forEachJudgeable(_ filter: RecordFilter, _ body: (LoadGroup) throws -> Void) throws {
        var isEmpty = true
        try Progress.during("reading", of: counter) {
            try forEachGroup(matching: filter) { group in
                isEmpty = false
                guard group.system != nil else {
                    throw CommandFailure.badInput("the record \(group.first.id) is of an unknown release")
                }
                try body(group)
            }
        }
        guard isEmpty else { return }
        let ways = filter.entrances.map(\.rawValue).sorted().joined(separator: " or ")
        let how = ways.isEmpty ? "through" : "in through \(ways)"
        func words(_ globs: [Glob], _ kind: String) -> String {
            globs.isEmpty ? "" : " \(kind) \(globs.map(\.description).joined(separator: " or "))"
        }
        let what = filter.recordings.first.map { "recording \($0)" } ?? path
        throw CommandFailure.nothing(
            "\(what): no load came \(how)\(words(filter.gates, "at gate"))\(words(filter.apps, "from app"))".printable
                + (try recordedValues(instead: filter)))
    }
}

extension GateChoices {
    /// Opens the store for reading.
    ///
    /// - Throws: ``CommandFailure`` with 64 without a store, and `StoreError`.
    func openedStore() throws -> StoreReader {
        guard let path = readPath else { throw CommandFailure.usage("name the store to read: --store PATH") }
        return try ReadStores.open(path)
    }

    /// Uses the recorded dictionary if no other is given. A record has the path as it was given to the gate, so a
    /// relative one may mean another file here, and is reported.
    ///
    /// - Parameter recording: nil for all recordings of the store.
    /// - Throws: ``CommandFailure`` with 65 if it no longer exists, or if there were several.
    mutating func usePolicy(of recording: String?, in reader: StoreReader) throws {
        guard settings.policyPath == nil else { return }
        let sources = try reader.overviews(of: recording).reduce(into: Set<String?>()) { $0.formUnion($1.sources) }
        guard sources.count < 2 else {
            let names = sources.map { $0 ?? "secure defaults" }.sorted().joined(separator: ", ")
            throw CommandFailure.badInput(
                "the loads were recorded under several dictionaries (\(names)): name one with --policy")
        }
        // An empty recording has none, and neither have loads under the secure defaults.
        guard let source = sources.first.flatMap(\.self) else { return }
        if StorePolicy.isOne(source), case .shared = store {
            settings.policyPath = source
            return
        }
        guard source != "-", FileManager.default.fileExists(atPath: source) else {
            let of = recording.map { " of \($0)" } ?? ""
            throw CommandFailure.badInput(
                (source == "-"
                    ? "the dictionary\(of) was read from standard input"
                    : "the recorded dictionary\(of), \(source), does not exist here").printable
                    + ": name one with --policy")
        }
        if !source.hasPrefix("/") {
            let place = URL(fileURLWithPath: source).path
            StandardError.writeLine("atsgate: note: the recorded dictionary is \(source), read from \(place)".printable)
        }
        settings.policyPath = source
    }

    /// The dictionary, with names masked like those of a recording's loads.
    ///
    /// - Parameter recording: nil for all recordings of the store.
    /// - Throws: ``CommandFailure``.
    func declaration(maskedLike recording: String?, in reader: StoreReader) throws -> Declaration {
        try MaskFile.declaration(
            declaration(), meeting: recording.map { [$0] } ?? [], in: reader, at: reader.path)
    }
}

/// The stores that a command reads: files, and shared stores by the name that `--store` shows.
enum ReadStores {
    /// Shared stores by name.
    private static let addresses = Mutex<[String: PostgresAddress]>([:])

    /// - Returns: The path of a shared store for ``open(_:)``.
    static func name(of address: PostgresAddress) -> String {
        addresses.withLock { $0[address.shown] = address }
        return address.shown
    }

    /// The address of a shared store; nil for a file.
    static func address(of name: String) -> PostgresAddress? { addresses.withLock { $0[name] } }

    /// - Parameter path: a file, or a ``name(of:)``.
    static func open(_ path: String) throws(StoreError) -> StoreReader {
        guard let address = address(of: path) else { return try StoreReader(path: path) }
        return try StoreReader(address, dialing: SharedSource.dialingLimit, until: .now + SharedSource.commandLimit)
    }
}

private let namesShown = 10

extension [RecordingOverview] {
    /// The content of a report in one line: recordings, loads, time, policy, release, mode, devices.
    var summary: String {
        let loads = reduce(0) { $0 + $1.loads }
        guard loads > 0 else {
            let names = count == 1 ? "recording \(self[0].name)" : "\(count) recordings, \(map(\.name).shown)"
            return "\(names): no load came through".printable
        }
        let names = count == 1 ? "recording \(self[0].name)" : "\(count) recordings, \(map(\.name).shown)"
        var parts = [
            "\(names): \(loads) \(loads == 1 ? "load" : "loads")",
            [first?.first, map(\.last).max()].compactMap { $0?.dayAndTime }.each.joined(separator: " to ") + " UTC",
            flatMap(\.policies).each.shown,
            "as " + flatMap(\.systems).each.map { OSProfile.named($0)?.title ?? $0 }.shown,
        ]
        let modes = RecordingOverview.Mode.allCases.filter { mode in contains { $0.modes.contains(mode) } }
        if !modes.isEmpty { parts.append(modes.map(\.rawValue).joined(separator: " and ")) }
        let labels = flatMap(\.labels).each
        if !labels.isEmpty { parts.append("devices \(labels.shown)") }
        return parts.joined(separator: "; ").printable
    }
}

extension [String] {
    /// The elements without duplicates, in order.
    var each: [String] {
        var seen = Set<String>()
        return filter { seen.insert($0).inserted }
    }

    /// The first few names and the number of others, on one line. Escaped, because clients may have chosen them.
    var shown: String {
        let more = count > listedNames ? ["\(count - listedNames) more"] : []
        return (prefix(listedNames) + more).joined(separator: ", ").printable
    }
}

extension Int64 {
    /// The time in milliseconds since 1970-01-01 UTC, as `2026-11-21 02:09`.
    var dayAndTime: String {
        let time = Date(timeIntervalSince1970: Double(self) / 1000).formatted(.iso8601)
        return String(time.prefix(16)).replacing("T", with: " ")
    }
}

private let listedNames = 5
