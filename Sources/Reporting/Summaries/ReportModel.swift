import ATSPolicy
import Diagnosis
public import Records
import Text

/// A recording in groups. All report formats are written from this model, except those with an item for each load.
///
/// Its size grows with the number of groups, not of loads.
struct ReportModel: Sendable {
    private(set) var header = ReportHeader()
    private(set) var hints = ReportHints()
    /// Groups of equal loads, in order of first appearance.
    private(set) var groups: [ReportRow] = []
    private(set) var devices = DeviceList()
    private(set) var byEntrance = ReportTallies()
    private(set) var byApp = ReportTallies()
    /// The groups of the store that were added.
    private(set) var loads: [LoadGroup] = []
    /// The outcomes on devices in witness mode; empty in other modes. Groups do not contain it, so callers that add
    /// groups set it.
    var agreement = DeviceAgreement()
    /// The hellos of devices; set by callers, too.
    var hellos = HelloAgreement()
    private var places: [ReportRow.Key: Int] = [:]

    /// Adds similar loads.
    mutating func add(_ group: LoadGroup) {
        let load = group.first
        header.add(group)
        hints.add(load, loads: group.loads)
        devices.add(load.client, verdict: load.verdict, loads: group.loads)
        byApp.add(load.client.app ?? "-", load.verdict, loads: group.loads)
        byEntrance.add(load.client.wayIn.rawValue, load.verdict, loads: group.loads)
        loads.append(group)
        let row = ReportRow(group)
        if let place = places[row.key] {
            groups[place].add(row)
        } else {
            places[row.key] = groups.count
            groups.append(row)
        }
    }

    /// The groups of one verdict, in order of first appearance.
    func groups(_ verdict: Verdict) -> [ReportRow] { groups.filter { $0.key.verdict == verdict } }

    /// All verdicts, the worst first.
    static let verdicts: [Verdict] = [.blocked, .wouldBlock, .failed, .allowed, .outside]

    /// All groups, the worst first, then by origin and rule, so that the same recording gives the same text.
    var sorted: [ReportRow] {
        Self.verdicts.flatMap { verdict in
            groups(verdict).sorted { ($0.key.origin, $0.key.rule ?? "") < ($1.key.origin, $1.key.rule ?? "") }
        }
    }

    /// Groups by host and rule, the worst first, each judged by `rules`.
    func cases(by rules: JudgementRules) -> [ReportCase] {
        var cases: [(key: ReportCase.Key, groups: [ReportRow])] = []
        var places: [ReportCase.Key: Int] = [:]
        for group in sorted {
            let key = ReportCase.Key(host: group.host, rule: group.key.rule)
            if let place = places[key] {
                cases[place].groups.append(group)
            } else {
                places[key] = cases.count
                cases.append((key, [group]))
            }
        }
        return cases.map { ReportCase(key: $0.key, groups: $0.groups, by: rules) }
    }

    /// The number of loads by host, rule and verdict, including allowed loads.
    var outcomes: [HostOutcome] {
        groups.map { HostOutcome(host: $0.host, rule: $0.key.rule, verdict: $0.key.verdict, loads: $0.loads) }
    }

    /// The judgement on all loads.
    func judgement(by rules: JudgementRules) -> RunJudgement { RunJudgement(outcomes, by: rules) }
}

extension GroupedReport {
    /// The number of loads by host, rule and verdict, including allowed loads.
    public var outcomes: [HostOutcome] { model.outcomes }

    /// The outcomes on devices in witness mode.
    public var agreement: DeviceAgreement { model.agreement }

    /// The hellos of devices, compared with the rules.
    public var hellos: HelloAgreement { model.hellos }

    /// Notes on the clients, each a sentence.
    public var clientNotes: [String] { model.hints.clients.sentences }

    /// The same loads in another context.
    public func with(_ context: ReportContext) -> GroupedReport {
        GroupedReport(model: model, context: context.completed(for: model))
    }

    /// The same report with or without colours, for the text format.
    public func coloured(_ isColoured: Bool) -> GroupedReport {
        var context = context
        context.isColoured = isColoured
        return with(context)
    }
}

/// The results of the loads of one host, rule, device, app, entrance or gate.
public struct ReportTally: Sendable, Hashable {
    public let name: String
    public let counts: [Verdict: Int]
    /// The rules that decided on a host, or the hosts that a rule decided on, without duplicates, in the report's order.
    public let others: [String]

    public var loads: Int { counts.values.reduce(0, +) }
    /// The worst verdict.
    var verdict: Verdict { ReportModel.verdicts.first { counts[$0] != nil } ?? .allowed }

    /// As text: `transparent: 3 (2 outside)`.
    var words: String {
        let outside = counts[.outside] ?? 0
        return "\(name): \(loads)" + (outside > 0 ? " (\(outside) outside)" : "")
    }
}

/// Tallies by name.
struct ReportTallies: Sendable {
    /// In order of first use.
    private(set) var names: [String] = []
    private var counts: [String: [Verdict: Int]] = [:]
    private var others: [String: [String]] = [:]
    private var known: Set<[String]> = []

    mutating func add(_ name: String, _ verdict: Verdict, loads: Int, other: String? = nil) {
        if counts[name] == nil { names.append(name) }
        counts[name, default: [:]][verdict, default: 0] += loads
        if let other, known.insert([name, other]).inserted { others[name, default: []].append(other) }
    }

    subscript(name: String) -> ReportTally? {
        counts[name].map { ReportTally(name: name, counts: $0, others: others[name] ?? []) }
    }

    /// The worst first, then by name.
    var worstFirst: [ReportTally] {
        func rank(_ tally: ReportTally) -> Int { ReportModel.verdicts.firstIndex(of: tally.verdict) ?? 0 }
        return names.compactMap { self[$0] }.sorted { (rank($0), $0.name) < (rank($1), $1.name) }
    }
}

extension ReportModel {
    /// Every host, the worst first, then by name.
    var hosts: [ReportTally] {
        var tallies = ReportTallies()
        for group in sorted { tallies.add(group.host, group.key.verdict, loads: group.loads, other: group.key.rule) }
        return tallies.worstFirst
    }

    /// Every rule that decided, the worst first, then by name.
    var rules: [ReportTally] {
        var tallies = ReportTallies()
        for group in sorted {
            guard let rule = group.key.rule else { continue }
            tallies.add(rule, group.key.verdict, loads: group.loads, other: group.host)
        }
        return tallies.worstFirst
    }

    /// The apps by the name in the User-Agent; `-` for loads without one.
    var apps: [ReportTally] { byApp.names.sorted().compactMap { byApp[$0] } }

    /// The ways in which loads reached the gate, in the order of ``LoadEntrance``.
    var entrances: [ReportTally] { LoadEntrance.allCases.compactMap { byEntrance[$0.rawValue] } }

    /// The ways to show, in words; empty if all loads came through the HTTP proxy.
    var shownEntrances: [String] {
        byEntrance.names.allSatisfy { $0 == LoadEntrance.proxy.rawValue } ? [] : entrances.map(\.words)
    }
}

/// The devices, by label and release, with the results of their loads.
struct DeviceList: Sendable {
    struct Device: Sendable {
        let label: String?
        /// The name of the emulated release.
        let os: String
        /// The evidence for the release; nil if it was given.
        let osEvidence: String?
        fileprivate(set) var counts: [Verdict: Int] = [:]

        var loads: Int { counts.values.reduce(0, +) }
        /// The label, then the release, as text.
        var name: String { [label, os].compactMap(\.self).joined(separator: ", ") }
    }

    /// In order of first use.
    private(set) var devices: [Device] = []

    mutating func add(_ client: RecordedClient, verdict: Verdict, loads: Int) {
        let place = devices.firstIndex { $0.label == client.label && $0.os == client.os } ?? devices.count
        if place == devices.count {
            devices.append(Device(label: client.label, os: client.os, osEvidence: client.osEvidence))
        }
        devices[place].counts[verdict, default: 0] += loads
    }
}

/// The facts about a report as a whole: the recording, its dictionary and release, and the number of loads.
struct ReportHeader: Sendable {
    private(set) var recordings = OrderedNames()
    private(set) var systems = OrderedNames()
    private(set) var policies = OrderedNames()
    /// Paths of the dictionaries; nil for the secure defaults.
    private(set) var sources: Set<String?> = []
    /// When the earliest and the latest load began, in milliseconds since 1970-01-01 UTC.
    private(set) var firstTime: Int64?
    private(set) var lastTime: Int64?
    private(set) var counts: [Verdict: Int] = [:]
    /// Loads that failed and would also fail on a device.
    private(set) var failedOnDevice = 0

    /// The times in the notation of records.
    var first: String? { firstTime.map { RecordTime.text(milliseconds: $0) } }
    var last: String? { lastTime.map { RecordTime.text(milliseconds: $0) } }

    /// For example `2026-11-28 16:05:07 to 2026-11-28 16:06:00 UTC`; nil without loads.
    var period: String? {
        let ends = [first, last].compactMap { $0.map { String($0.prefix(19)).replacing("T", with: " ") } }
        return ends.isEmpty ? nil : ends.each.joined(separator: " to ") + " UTC"
    }

    var loads: Int { counts.values.reduce(0, +) }

    /// Adds similar loads.
    mutating func add(_ group: LoadGroup) {
        let load = group.first
        recordings.add(load.recording)
        systems.add(load.policy.os)
        sources.insert(load.policy.source)
        let bundle = load.policy.bundleID.map { " (\($0))" } ?? ""
        policies.add((load.policy.source ?? "secure defaults") + bundle)
        firstTime = min(firstTime ?? group.span.first, group.span.first)
        lastTime = max(lastTime ?? group.span.last, group.span.last)
        counts[load.verdict, default: 0] += group.loads
        if ReportRow(group).deviceFailure != nil { failedOnDevice += group.loads }
    }

    /// One fact per line.
    ///
    /// - Parameter entrances: the ways in which loads came in, in words.
    func text(colours: TerminalColours, _ entrances: [String]) -> String {
        var text = colours.strong("RECORDING") + "\n"
        text += line("name", recordings.text)
        text += line("release", systems.text)
        text += line("dictionary", policies.text)
        if let period { text += line("time", period) }
        for (index, words) in entrances.enumerated() { text += line(index == 0 ? "entrance" : "", words) }
        let verdicts = Verdict.allCases.compactMap { verdict in
            counts[verdict].map { loads in
                let beside = verdict == .failed ? failedOnDevice.onDevice : ""
                return colours.verdict("\(loads) \(verdict.words)", verdict) + beside
            }
        }
        let split = verdicts.isEmpty ? "" : ": " + verdicts.joined(separator: ", ")
        return text + "  " + "loads".padded(to: Self.labelColumns) + String(loads) + split + "\n"
    }

    private func line(_ label: String, _ value: String) -> String {
        "  " + label.padded(to: Self.labelColumns) + (value.isEmpty ? "-" : value.printable) + "\n"
    }

    private static let labelColumns = 12
}

extension Int {
    /// The share of failed loads that would also fail on a device; empty if there are none.
    var onDevice: String { self > 0 ? " (\(self) on a device, too)" : "" }
}

extension [ReportRow] {
    /// The share of failed loads that would also fail on a device; empty for other verdicts.
    func onDevice(_ verdict: Verdict) -> String {
        guard verdict == .failed else { return "" }
        return reduce(0) { $0 + ($1.deviceFailure == nil ? 0 : $1.loads) }.onDevice
    }
}

/// Names without duplicates, in order of first use.
struct OrderedNames: Sendable {
    private(set) var names: [String] = []

    mutating func add(_ name: String) {
        if !names.contains(name) { names.append(name) }
    }

    var text: String { names.joined(separator: ", ") }
}

/// A report, built once. Every format, the annotations of a CI system and the outlines are functions of it.
public struct GroupedReport: Sendable {
    let model: ReportModel
    let context: ReportContext

    /// The report in this format; nil for a format with an item for each load.
    public func text(as format: ReportFormat) -> String? {
        guard case .whole(let render) = format.writer else { return nil }
        return render(model, context)
    }

    /// Workflow commands of GitHub Actions, each with a line end: first errors for what fails the command, then
    /// warnings.
    public var annotations: [String] { model.ci(context).gitHubCommands }

    /// The number of loads by verdict, for each host, rule, device or entrance.
    func outline(by grouping: ReportGrouping) -> ReportOutline { ReportOutline(model, by: grouping) }
}
