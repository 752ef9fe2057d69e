import ATSPolicy
import ArgumentParser
import Diagnosis
import Foundation
import Records
import Reporting
import Text

/// Conditions that select loads. All of them must hold; of several values for one condition, one is enough.
struct LoadSelection: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Only loads of this host.", discussion: "* matches any text, ? one character.", valueName: "glob"),
        transform: WrittenHost.init(_:))
    var host: [WrittenHost] = []

    @Option(help: ArgumentHelp("Only loads with this verdict.", valueName: "verdict"))
    var verdict: [Verdict] = []

    @Option(
        help: ArgumentHelp("Only loads that this rule decided, as in 'ats.*'.", valueName: "glob"),
        completion: ShellCompletion.rules.completion)
    var rule: [String] = []

    @OptionGroup var apps: AppSelection

    @Option(help: ArgumentHelp("Only loads of the listener with this label.", valueName: "label", visibility: .seldom))
    var label: [String] = []

    @Option(
        help: ArgumentHelp(
            "In a shared store: only loads of this gate, named by its machine or its label.", valueName: "glob",
            visibility: .seldom))
    var gate: [String] = []

    @Option(help: ArgumentHelp("Only loads that arrived this way.", valueName: "way", visibility: .seldom))
    var entrance: [LoadEntrance] = []

    @Option(
        help: ArgumentHelp(
            "Only loads whose hello shows this (see atsgate explain hellos).", valueName: "reading", visibility: .seldom
        ))
    var hello: [HelloReading.Kind] = []

    @Option(
        help: ArgumentHelp(
            "Only loads from this time on: 30m, 7d, 2026-11-21.",
            discussion: "An age such as 30m, 1h or 7d, or a time such as 2026-11-21 or 2026-11-21T09:00Z.",
            valueName: "time"), transform: PointInTime.init(argument:))
    var since: PointInTime?

    @Option(
        help: ArgumentHelp(
            "Only loads before this time, written as for --since.", valueName: "time", visibility: .seldom),
        transform: PointInTime.init(argument:))
    var until: PointInTime?

    /// True if a condition is given.
    var isGiven: Bool {
        let lists = [rule, apps.app, label, gate]
        return !host.isEmpty || !lists.allSatisfy(\.isEmpty) || !verdict.isEmpty || !entrance.isEmpty || !hello.isEmpty
            || since != nil || until != nil
    }

    /// The filter for the selected loads of `recordings`.
    ///
    /// - Parameter recordings: empty for all.
    func filter(recordings: [String] = []) -> RecordFilter {
        var filter = RecordFilter()
        filter.recordings = recordings
        filter.hosts = host.flatMap(\.globs)
        filter.verdicts = Set(verdict)
        filter.gates = gate.map(Glob.init)
        filter.rules = rule.map(Glob.init)
        filter.apps = apps.app.map(Glob.init)
        filter.labels = Set(label)
        filter.entrances = Set(entrance)
        filter.hellos = Set(hello)
        filter.since = since?.milliseconds
        filter.until = until?.milliseconds
        return filter
    }
}

extension StoreReader {
    /// The recorded values of each condition that no load meets, the most similar one first; empty if every condition
    /// is met by some load.
    func recordedValues(instead filter: RecordFilter) throws -> String {
        var every = RecordFilter()
        every.recordings = filter.recordings
        let conditions: [(name: String, given: [Glob], grouping: ReportGrouping?)] = [
            ("hosts", filter.hosts, .host), ("rules", filter.rules, .rule), ("apps", filter.apps, .app),
            ("labels", filter.labels.sorted().map(Glob.init), nil), ("gates", filter.gates, .gate),
        ]
        return try conditions.filter { !$0.given.isEmpty }.map { name, given, grouping in
            let known =
                try grouping.map { try outline(by: $0, of: every).rows.map(\.name).filter { $0 != "-" } }
                ?? overviews().filter { every.recordings.isEmpty || every.recordings.contains($0.name) }
                .flatMap(\.labels).each
            guard !known.contains(where: { name in given.contains { $0.matches(name) } }) else { return "" }
            let near = given.lazy.compactMap { $0.description.nearest(among: known) }.first
            let hint = near.map { "; did you mean \($0)?" } ?? "."
            return hint
                + (known.isEmpty ? " There are no recorded \(name)" : " The recorded \(name) are \(known.shown)")
        }.joined().printable
    }
}

/// The condition on the app that sent a load.
struct AppSelection: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Only loads of this app, such as MyApp.", discussion: "By the name in its User-Agent.", valueName: "glob"))
    var app: [String] = []
}

/// Names to mask in exports.
struct MaskingOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            Replace hosts (api.example.com, *.example.com, *) or parts of paths (/users/*) with tokens. Repeatable.
            """, valueName: "pattern", visibility: .seldom))
    var mask: [MaskPattern] = []

    @Flag(
        help: ArgumentHelp(
            "Replace all names with tokens, for sharing.",
            discussion: """
                Outside your organisation: hosts, paths, addresses, names in certificates, labels, files, bundles and \
                recordings.
                """))
    var redact = false

    /// The mask for names; nil if none is requested.
    ///
    /// - Parameter storePath: the store whose key is used if it has one, so that patterns give the same tokens.
    /// - Throws: ``CommandFailure`` with 65.
    func names(beside storePath: String) throws(CommandFailure) -> NameMask? {
        if redact { return .everything(key: KeyedHash()) }
        guard !mask.isEmpty else { return nil }
        return NameMask(mask, key: try MaskFile.key(beside: storePath) ?? KeyedHash())
    }
}

/// A time as people write it: an age (`30m`, `1h`, `7d`, `2w`), or a date.
struct PointInTime: Sendable, Hashable {
    /// In milliseconds since 1970-01-01 UTC.
    let milliseconds: Int64

    /// - Throws: `ValidationError` with the expected form.
    init(argument: String) throws {
        guard let time = PointInTime(argument, now: Date()) else {
            throw ValidationError(
                "write an age, as in 30m, 1h, 7d or 2w, or a date, as in 2026-11-21 or 2026-11-21T09:00Z")
        }
        self = time
    }

    /// - Parameter zone: the zone of dates without one.
    /// - Returns: nil for any other text, and for invalid days.
    init?(_ text: String, now: Date, zone: TimeZone = .current) {
        guard let date = Self.ago(text, now) ?? Self.date(text, zone) else { return nil }
        milliseconds = Int64((date.timeIntervalSince1970 * 1000).rounded())
    }

    private static func ago(_ text: String, _ now: Date) -> Date? {
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        guard let count = Int(digits), count <= most, let seconds = units[String(text.dropFirst(digits.count))]
        else { return nil }
        return now.addingTimeInterval(-Double(count * seconds))
    }

    /// A day, with or without a time and its zone, as in ISO 8601.
    private static func date(_ text: String, _ zone: TimeZone) -> Date? {
        let form = /(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d))?(Z|[+-]\d\d:?\d\d)?)?/.asciiOnlyDigits()
        guard let match = text.wholeMatch(of: form)?.output else { return nil }
        var components = DateComponents()
        components.calendar = Calendar(identifier: .gregorian)
        components.timeZone = match.7.map { Self.zone(String($0)) } ?? zone
        (components.year, components.month, components.day) = (Int(match.1), Int(match.2), Int(match.3))
        (components.hour, components.minute) = (Int(match.4 ?? "0"), Int(match.5 ?? "0"))
        components.second = Int(match.6 ?? "0")
        return components.isValidDate ? components.date : nil
    }

    /// `Z`, `+02:00` or `-0700`.
    private static func zone(_ text: String) -> TimeZone? {
        guard text != "Z" else { return .gmt }
        let digits = text.dropFirst().filter(\.isNumber)
        guard let hours = Int(digits.prefix(2)), let minutes = Int(digits.suffix(2)) else { return nil }
        return TimeZone(secondsFromGMT: (text.hasPrefix("-") ? -1 : 1) * (hours * 3600 + minutes * 60))
    }

    private static let units = ["s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800]
    private static let most = 1_000_000
}
