import Records
import Text

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
