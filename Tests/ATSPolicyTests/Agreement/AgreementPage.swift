import ATSPolicy
import Diagnosis
import Testing

/// docs/agreement.md and the figure in README, generated from the cases in `Tests/Agreement`.
struct AgreementPage {
    private let rows: [(kind: ReportedCase.Kind, reported: ReportedCase, answer: ReportedAnswer)]

    init() throws {
        rows = try ReportedCase.Kind.allCases.flatMap { kind in
            try ReportedCase.all(of: kind).map { (kind, $0, try ReportedAnswer($0)) }
        }
    }

    private typealias Row = (kind: ReportedCase.Kind, reported: ReportedCase, answer: ReportedAnswer)

    /// The line for README.
    var line: String {
        let (agreeing, comparable) = count { _ in true }
        return
            "**Agreement with real devices: \(agreeing) of \(comparable) publicly reported loads that can be compared, and all loads "
            + "in \(sources.agreeing) of their \(sources.all) reports, logs and nscurl outputs** "
            + "([each load, and each difference](docs/agreement.md))."
    }

    var text: String {
        ([head] + [table("by system", systems), table("by kind", kinds), assumptions, differences, unknowns])
            .joined(separator: "\n")
    }

    private var head: String {
        let (agreeing, comparable) = count { _ in true }
        return """
            # Agreement with devices

            atsgate predicts \(agreeing) of \(comparable) publicly reported loads of real devices exactly: outcome, code, stream number and lines, if
            the report contains them. Another \(rows.count - comparable) reported loads cannot be compared.

            `make agreement` generates this page from the files of `Tests/Agreement`. They contain the reports in our own words, with their address;
            only log lines are quoted. A test compares this page and README with them. Your own device gives better evidence: [device
            evidence](device-evidence.md). Sources are named as in [sources](sources.md).

            """
    }

    private func count(_ condition: (Row) -> Bool) -> (agreeing: Int, comparable: Int) {
        let chosen = rows.filter { condition($0) && $0.answer != .unknown }
        return (chosen.count { $0.answer == .agree }, chosen.count)
    }

    /// One report, log or nscurl output may contain many loads. Counts the sources with comparable loads, and those in
    /// which all of them agree; `most` has the loads of the largest source.
    private var sources: (agreeing: Int, all: Int, most: [Row]) {
        let all = Dictionary(grouping: rows.filter { $0.answer != .unknown }, by: \.reported.source)
        let most = all.max { ($0.value.count, $1.key) < ($1.value.count, $0.key) }?.value ?? []
        return (all.values.count { $0.allSatisfy { $0.answer == .agree } }, all.count, most)
    }

    private typealias Group = (title: String, holds: (Row) -> Bool)

    private var kinds: [Group] { ReportedCase.Kind.allCases.map { kind in (kind.title, { $0.kind == kind }) } }

    private var systems: [Group] {
        let ranges = [9...10, 11...12, 13...16, 17...18, 26...26, 27...27]
        let known: [Group] = ranges.map { range in
            let words = range.count == 1 ? "\(range.lowerBound)" : "\(range.lowerBound) to \(range.upperBound)"
            return (
                "iOS \(words) and their twins",
                { range.contains(OSProfile.named($0.reported.system ?? "")?.release.generation.major ?? 0) }
            )
        }
        return known + [("unknown", { $0.reported.system == nil })]
    }

    /// No report names the entry that decided.
    private static let answers = ReportedAnswer.allCases.filter { $0 != .otherEntry }

    private func table(_ title: String, _ groups: [Group]) -> String {
        let names = Self.answers.map(\.rawValue)
        let lines = groups.map { group in
            let chosen = rows.filter(group.holds)
            let counts = Self.answers.map { answer in "\(chosen.count { $0.answer == answer })" }
            return "| \(([group.title] + counts).joined(separator: " | ")) |"
        }
        return """
            ## \(title.prefix(1).uppercased() + title.dropFirst())

            | | \(names.joined(separator: " | ")) |
            |---|\(String(repeating: "---:|", count: names.count))
            \(lines.joined(separator: "\n"))

            """
    }

    private var assumptions: String {
        let assumed = rows.filter { $0.answer != .unknown && $0.reported.assumed == true }
        let agreeing = assumed.count { $0.answer == .agree }
        return """
            In \(assumed.count) of them (\(agreeing) agree) the report does not name the release, the dictionary or the server's fault; their lines have `assumed`.

            They come from \(sources.all) sources: reports, logs, and nscurl outputs. In \(sources.agreeing) of these all loads agree. The largest source has
            \(sources.most.count) loads, of which \(sources.most.count { $0.answer == .agree }) agree: \(sources.most.first?.reported.source ?? "").

            """
    }

    private var differences: String {
        let lines = rows.filter { $0.answer != .agree && $0.answer != .unknown }.map { row in
            let words = try? ReportedAnswer.words(row.reported)
            let cells = [
                row.reported.id, row.reported.source, row.reported.system ?? "", row.reported.words,
                words?.device ?? "", words?.gate ?? "", row.answer.rawValue, row.reported.why ?? "",
            ]
            return "| \(cells.map(Self.cell).joined(separator: " | ")) |"
        }
        return """
            ## Differences

            | case | source | system | what was seen | device | gate | | why |
            |---|---|---|---|---|---|---|---|
            \(lines.joined(separator: "\n"))

            """
    }

    private var unknowns: String {
        let lines = rows.filter { $0.answer == .unknown }.map { row in
            let cells = [row.reported.id, row.reported.source, row.reported.words, row.reported.unknown ?? ""]
            return "| \(cells.map(Self.cell).joined(separator: " | ")) |"
        }
        return """
            ## Not comparable

            | case | source | what was seen | why |
            |---|---|---|---|
            \(lines.joined(separator: "\n"))

            """
    }

    /// Turns an address into a link, and escapes bars so that they do not end the cell.
    private static func cell(_ text: String) -> String {
        text.hasPrefix("https://") ? "<\(text)>" : text.replacing("|", with: "\\|")
    }
}
