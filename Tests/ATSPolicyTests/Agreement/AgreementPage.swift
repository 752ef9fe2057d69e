import ATSPolicy
import Diagnosis
import Testing

/// docs/agreement.md and the first line of README, made of the cases in `Tests/Agreement`.
struct AgreementPage {
    private let rows: [(kind: ReportedCase.Kind, reported: ReportedCase, answer: ReportedAnswer)]

    init() throws {
        rows = try ReportedCase.Kind.allCases.flatMap { kind in
            try ReportedCase.all(of: kind).map { (kind, $0, try ReportedAnswer($0)) }
        }
    }

    private typealias Row = (kind: ReportedCase.Kind, reported: ReportedCase, answer: ReportedAnswer)

    /// Of one line, for README.
    var line: String {
        let (agreeing, comparable) = count { _ in true }
        return
            "**Agreement with real devices: \(agreeing) of \(comparable) publicly reported loads that can be compared, and all loads "
            + "of \(sources.agreeing) of their \(sources.all) reports, logs and outputs of nscurl** "
            + "([all of them, and why not the others](docs/agreement.md))."
    }

    var text: String {
        ([head] + [table("by system", systems), table("by kind", kinds), assumptions, differences, unknowns])
            .joined(separator: "\n")
    }

    private var head: String {
        let (agreeing, comparable) = count { _ in true }
        return """
            # Agreement with devices

            What atsgate says of loads that somebody saw on a real system: \(agreeing) of \(comparable) that can be compared are told as the device
            told them, in outcome, code, stream number and lines, as far as each report has them. \(rows.count - comparable) more can not be compared.

            This page is made by `make agreement` from the files of `Tests/Agreement`: reports in our own words, with their address; quotations are
            log lines only. A test holds it, and the first line of README, against them. What a run of your own says is better: [device
            evidence](device-evidence.md). Sources are named as in [sources](sources.md).

            """
    }

    private func count(_ condition: (Row) -> Bool) -> (agreeing: Int, comparable: Int) {
        let chosen = rows.filter { condition($0) && $0.answer != .unknown }
        return (chosen.count { $0.answer == .agree }, chosen.count)
    }

    /// One report, log or output of nscurl may tell of many loads: of those with a load that can be compared, how many there
    /// are, in how many all such loads agree, and the one with the most.
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
        return known + [("not told", { $0.reported.system == nil })]
    }

    /// No report tells which entry ruled.
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
            \(assumed.count) of them (\(agreeing) agree) leave the release, the dictionary or the server's fault to be understood; their lines say `assumed`.

            They come from \(sources.all) sources: reports, logs, and outputs of nscurl. In \(sources.agreeing) of these all loads agree. The most from one
            source are \(sources.most.count), of which \(sources.most.count { $0.answer == .agree }) agree: \(sources.most.first?.reported.source ?? "").

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

    /// An address is made a link, and a bar does not end the cell.
    private static func cell(_ text: String) -> String {
        text.hasPrefix("https://") ? "<\(text)>" : text.replacing("|", with: "\\|")
    }
}
