import ATSPolicy
import ArgumentParser
import Diagnosis
import Evidence
import Foundation
import Probe
import ProxyServer
import Records
import Reporting
import Text

/// The loads of devices to compare, and the rules to compare them with.
struct ComparisonArguments: ParsableArguments {
    @Argument(
        help: ArgumentHelp(
            "Files or folders with logs, or - for standard input. (default: a recording)", valueName: "log"),
        completion: .file())
    var paths: [String] = []

    @OptionGroup(title: .inFullHelp("Dictionary and release")) var policy: PolicyOption
    @OptionGroup(title: .inFullHelp("Dictionary and release")) var appTrust: AppTrustOptions
    @OptionGroup(title: .inFullHelp("Dictionary and release")) var system: DeviceSystemOption
    @OptionGroup(title: .inFullHelp("Dictionary and release"), visibility: .seldom) var store: StoreOption
    @OptionGroup(title: .inFullHelp("Readings of the rules")) var readings: ReadingOptions
    @OptionGroup var choice: RecordingChoice

    @Option(
        help: ArgumentHelp(
            "A gate's recording of the same servers; its handshakes make TLS comparable.",
            valueName: "recording"), completion: ShellCompletion.recordings.completion)
    var with: String?

    @Option(help: ArgumentHelp("Only loads of this process.", valueName: "name"))
    var app: String?

    /// The rules and the store.
    var choices: GateChoices { GateChoices(policy, appTrust, store, readings) }

    func validate() throws {
        guard paths.isEmpty || !choice.isGiven else {
            throw ValidationError("Name logs or a recording, not both.")
        }
    }

    /// Compares each load, in order.
    ///
    /// - Throws: ``CommandFailure``, and what `each` throws.
    func compare(_ each: (ComparedLoad) throws -> Void) throws -> ComparisonEnd {
        var choices = self.choices
        try LogArguments.check(paths, beside: choices.settings.policyPath)
        let recorded = try paths.isEmpty ? openRecording(&choices, ofDevice: true) : nil
        let declaration = try recorded?.declaration ?? choices.declaration()
        declaration.remarks.forEach(StandardError.writeLine)
        let known = OriginAwareLaw(
            declaration, switches: choices.settings.switches, appTrust: try choices.appTrust(),
            origins: try origins(choices))
        if let recorded { return try compare(recorded.filter, in: recorded.reader, known, each) }
        let now = Int64(Date().timeIntervalSince1970 * 1000)
        var end = ComparisonEnd()
        var failure: (any Error)?
        end.reading = try LogArguments.read(paths) { task in
            guard failure == nil, app == nil || task.app == app else { return }
            guard let load = DeviceLoad(task, on: system.profile, now: now) else {
                end.unnamed += 1
                return
            }
            end.compared += 1
            do { try each(known.compare(load, test: task.source == .nscurl ? task.task : nil)) } catch {
                failure = error
            }
        }
        if let failure { throw failure }
        return end
    }

    /// The recording in the store, with its dictionary, which `choices` then names.
    ///
    /// - Parameter ofDevice: true if the default is the newest recording with results of devices.
    private func openRecording(
        _ choices: inout GateChoices, ofDevice: Bool = false
    ) throws -> (reader: StoreReader, filter: RecordFilter, declaration: Declaration) {
        let reader = try choices.openedStore()
        let fromDevices =
            try ofDevice && !choice.isGiven
            ? reader.overviews().last { !$0.modes.isDisjoint(with: [.device, .witness]) } : nil
        let name = try fromDevices?.name ?? choice.name(in: reader)
        try choices.usePolicy(of: name, in: reader)
        return (reader, RecordFilter(recording: name), try choices.declaration(maskedLike: name, in: reader))
    }

    private func compare(
        _ filter: RecordFilter, in reader: StoreReader, _ known: OriginAwareLaw, _ each: (ComparedLoad) throws -> Void
    ) throws -> ComparisonEnd {
        var end = ComparisonEnd()
        try reader.forEach(matching: filter) { row in
            let record = try row.record()
            guard app == nil || record.device?.place?.app == app else { return }
            guard let load = DeviceLoad(record, on: system.profile) else {
                end.withoutDevice += 1
                return
            }
            end.compared += 1
            try each(known.compare(load, test: record.source == .nscurl ? record.device?.place?.task : nil))
        }
        return end
    }

    /// Calls `each` with groups of similar loads of the recording, and their number.
    ///
    /// - Parameter begin: receives the dictionary of the recording first.
    /// - Throws: ``CommandFailure``, and what `each` throws.
    func forEachGroup(_ begin: (Declaration) -> Void, _ each: (LoadRecord, Int) throws -> Void) throws {
        var choices = self.choices
        let recorded = try openRecording(&choices)
        begin(recorded.declaration)
        try recorded.reader.forEachGroup(matching: recorded.filter) { try each($0.first, $0.loads) }
    }

    /// The newest handshake of each origin in the recording of `--with`.
    private func origins(_ choices: GateChoices) throws -> [LoadTarget: ObservedOrigin] {
        guard let with else { return [:] }
        var origins: [LoadTarget: ObservedOrigin] = [:]
        for group in try choices.openedStore().groups(of: with) {
            guard let handshake = group.first.handshake else { continue }
            let last = group.span.last / 1000
            guard origins[group.target].map({ $0.unixSeconds <= last }) ?? true else { continue }
            origins[group.target] = ObservedOrigin(handshake: handshake, unixSeconds: last)
        }
        if origins.isEmpty { StandardError.writeLine("atsgate: \(with.printable) contains no https handshake") }
        return origins
    }
}

/// An origin's handshake with a gate, and its time: certificates are judged by that day, not by a log's.
struct ObservedOrigin {
    let handshake: RecordedHandshake
    let unixSeconds: Int64
}

/// The counts of a comparison: loads that were compared, and loads that were left out.
struct ComparisonEnd {
    var compared = 0
    /// Loads whose log does not show host and scheme.
    var unnamed = 0
    /// Recorded loads without a device's result.
    var withoutDevice = 0
    /// The logs that were read; nil for a recording.
    var reading: LogReading?

    /// Prints what was read and left out, and throws the matching exit code.
    func end() throws {
        if unnamed > 0 {
            StandardError.writeLine("atsgate: left out \(unnamed.loads) whose host or scheme is not in the log")
        }
        if withoutDevice > 0 {
            StandardError.writeLine("atsgate: left out \(withoutDevice.loads) for which no device reported a result")
        }
        try reading?.end()
        if compared == 0 { throw CommandFailure.nothing("no load of a device could be compared") }
    }
}

/// The rules of one dictionary, with known handshakes of origins.
struct OriginAwareLaw {
    private let declaration: Declaration
    private let switches: JudgeSwitches
    private let appTrust: AppTrust
    private let origins: [LoadTarget: ObservedOrigin]

    init(
        _ declaration: Declaration, switches: JudgeSwitches, appTrust: AppTrust,
        origins: [LoadTarget: ObservedOrigin]
    ) {
        self.declaration = declaration
        self.switches = switches
        self.appTrust = appTrust
        self.origins = origins
    }

    /// - Parameter test: the test of nscurl, which has its own dictionary; nil for an app's load.
    func compare(_ load: DeviceLoad, test: String?) -> ComparedLoad {
        var load = load
        if load.handshake == nil, let origin = origins[load.target] {
            load = load.meeting(origin.handshake, at: origin.unixSeconds)
        }
        var own = declaration
        if let test {
            let known = MatrixTest.all(host: load.target.host).first { $0.name == test }
            own = Declaration.secureDefaults.with(known?.members ?? [])
        }
        let law = DevicePredictor(own, switches: switches, appTrust: appTrust)
        let comparison = LoadComparison(
            load.device, law.prediction(of: load), scheme: load.target.scheme, isReleaseKnown: load.isReleaseKnown)
        return ComparedLoad(load: load, comparison: comparison, declaration: own)
    }
}
