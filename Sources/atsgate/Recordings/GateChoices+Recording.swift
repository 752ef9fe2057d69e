import ATSPolicy
import Diagnosis
import Foundation
import ProxyCore
import ProxyServer
import Records
import Reporting
import Text

extension GateChoices {
    /// Opens the store for reading.
    ///
    /// - Throws: ``CommandFailure`` with 64 without a store, and `StoreError`.
    func openedStore() throws -> (reader: StoreReader, path: String) {
        guard let path = readPath else { throw CommandFailure.usage("name the store to read: --store PATH") }
        return (try ReadStores.open(path), path)
    }

    /// Calls `body` with the loads of a recording, grouped if they are alike.
    ///
    /// - Parameters:
    ///   - entrances: the ways in which the loads arrived; empty for all.
    ///   - gates: patterns of the gates that recorded them into a shared store; empty for all.
    ///   - apps: patterns of the apps that sent them; empty for all.
    /// - Returns: the recording's name; nil for all of the store.
    /// - Throws: ``CommandFailure``.
    func readRecording(
        _ choice: RecordingChoice, entrances: Set<LoadEntrance> = [], gates: [String] = [], apps: [String] = [],
        _ body: (LoadGroup) throws -> Void
    ) throws -> String? {
        let (reader, path) = try openedStore()
        let name = try choice.name(in: reader, path: path)
        var filter = RecordFilter(recording: name)
        filter.entrances = entrances
        filter.gates = gates.map(Glob.init)
        filter.apps = apps.map(Glob.init)
        var isEmpty = true
        try Progress.during("reading", of: reader.counter) {
            try reader.forEachGroup(matching: filter) {
                isEmpty = false
                guard $0.system != nil else {
                    throw CommandFailure.badInput("the record \($0.first.id) is of an unknown release")
                }
                try body($0)
            }
        }
        guard !isEmpty else {
            let ways = entrances.map(\.rawValue).sorted().joined(separator: " or ")
            let how = entrances.isEmpty ? "through" : "in through \(ways)"
            let by = gates.isEmpty ? "" : " at gate \(gates.joined(separator: " or "))"
            let from = apps.isEmpty ? "" : " from app \(apps.joined(separator: " or "))"
            let what = name.map { "recording \($0)" } ?? path
            throw CommandFailure.nothing("\(what): no load came \(how)\(by)\(from)".printable)
        }
        return name
    }

    /// Uses the recorded dictionary if no other is given.
    ///
    /// - Throws: ``CommandFailure`` with 65 if it no longer exists, or if there were several.
    mutating func useRecordedPolicy(_ choice: RecordingChoice) throws {
        guard settings.policyPath == nil, let path = readPath else { return }
        let reader = try ReadStores.open(path)
        let name = try choice.name(in: reader, path: path)
        let sources = try reader.overviews(of: name).reduce(into: Set<String?>()) { $0.formUnion($1.sources) }
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
            let what = source == "-" ? "standard input" : "\(source)"
            throw CommandFailure.badInput(
                "the recorded dictionary (\(what)) no longer exists: name one with --policy")
        }
        settings.policyPath = source
    }

    /// The dictionary, with names masked like those of a recording's loads.
    ///
    /// - Throws: ``CommandFailure``.
    func recordedDeclaration(_ choice: RecordingChoice) throws -> Declaration {
        let declaration = try declaration()
        guard let path = readPath, try MaskFile.key(beside: path) != nil else { return declaration }
        let reader = try ReadStores.open(path)
        let recordings = [try choice.name(in: reader, path: path)].compactMap(\.self)
        return try MaskFile.declaration(declaration, meeting: recordings, in: reader, at: path)
    }

    /// The decisions of the app's own code about certificates.
    ///
    /// - Throws: ``CommandFailure`` with 65 for a certificate of `--app-pin` that cannot be read.
    func appTrust() throws(CommandFailure) -> AppTrust {
        var trust = settings.rules.appTrust
        for pin in pins { trust.pins.append(try pin.pin()) }
        return trust
    }
}

extension OSProfile {
    /// - Throws: ``CommandFailure`` with 64 that names similar releases.
    init(argument: String) throws(CommandFailure) {
        do throws(ValueProblem) {
            guard let profile = try SystemChoice(argument: argument).profile else {
                throw ValueProblem("name a release, or omit --os to use the release that each load was judged by")
            }
            self = profile
        } catch {
            throw .usage("the value '\(argument)' is invalid for '--os <profile>': \(error)")
        }
    }
}
