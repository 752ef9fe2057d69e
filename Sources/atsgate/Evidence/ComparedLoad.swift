import ATSPolicy
import Diagnosis
import Evidence
import Records
import Reporting
import Text

/// A device's load, compared with the gate's verdict.
struct ComparedLoad {
    let load: DeviceLoad
    let comparison: LoadComparison
    /// The dictionary that the load was judged by.
    let declaration: Declaration

    /// `LOG:LINE`; empty if the load's log is unknown.
    var place: String {
        load.device.place.map { "\($0.log):\($0.line)" } ?? ""
    }

    /// One object on one line, the keys in the order of docs/evidence.md.
    var json: JSONValue {
        let place = load.device.place
        return .object([
            ("log", .text(place?.log)), ("line", .number(place?.line)), ("task", .text(place?.task)),
            ("url", .string(load.url)), ("host", .string(load.target.host)), ("system", .string(load.profile.name)),
            ("systemTold", .flag(load.isReleaseKnown)), ("answer", .string(comparison.answer.rawValue)),
            ("fields", .array(comparison.rows.map(\.json))),
        ])
    }
}

extension LoadComparison.Row {
    fileprivate var json: JSONValue {
        .object([
            ("field", .string(field.rawValue)), ("answer", .string(answer.rawValue)), ("device", .string(device)),
            ("gate", .string(gate)), ("why", .text(why)),
        ])
    }
}

extension DeviceLoad {
    /// Creates a load; nil if its log does not show host and scheme.
    ///
    /// - Parameters:
    ///   - profile: the release of all loads, if it was given.
    ///   - now: milliseconds since 1970-01-01 UTC, for a log without dates.
    init?(_ task: EvidenceTask, on profile: OSProfile?, now: Int64) {
        guard let target = task.target else { return nil }
        let told = task.system.flatMap(OSProfile.named)
        self.init(
            url: task.url ?? target.origin + "/", target: target, profile: profile ?? told ?? .newest,
            isReleaseKnown: profile != nil || told != nil, device: task.recordedDevice,
            unixSeconds: (task.time.flatMap(LogTime.milliseconds) ?? now) / 1000)
    }

    /// Creates a load from a record; nil if the record has no device result.
    init?(_ record: LoadRecord, on profile: OSProfile?) {
        guard let device = record.device, let own = OSProfile.named(record.policy.os) else { return nil }
        self.init(
            url: record.load.url, target: record.load.target, loader: record.client.loader, profile: profile ?? own,
            isReleaseKnown: profile != nil || record.client.osNotes.isEmpty, device: device,
            handshake: record.handshake, unixSeconds: record.time / 1_000)
    }
}

/// The text of `evidence compare`.
struct ComparisonWords {
    private var tally = ComparisonTally()
    private var differences: [String] = []
    private var more = 0

    var hasBreach: Bool { tally.hasBreach }

    mutating func add(_ load: ComparedLoad) {
        tally.add(load.comparison, host: load.load.target.host)
        guard load.comparison.answer != .agree, load.comparison.answer != .unknown else { return }
        guard differences.count < mostDifferences else {
            more += 1
            return
        }
        let system = load.load.profile.title + (load.load.isReleaseKnown ? "" : ", assumed as the newest")
        differences.append("\(load.comparison.answer.rawValue): \(load.load.url) (\(system)) \(load.place)".printable)
        for row in load.comparison.rows where row.answer != .agree && row.answer != .unknown {
            let why = row.why.map { " (\($0))" } ?? ""
            let sides = "device \(row.deviceWords); gate \(row.gateWords)"
            differences.append("  \(row.field.rawValue): \(sides)\(why)".printable)
        }
    }

    var text: String {
        let head = LoadComparison.Answer.allCases.compactMap { answer in
            tally.loads[answer].map { "\($0) \(answer.rawValue)" }
        }
        var lines = ["\(tally.count.loads): \(head.joined(separator: ", "))", ""]
        lines += table("HOST", tally.hosts.sorted { $0.key < $1.key }.map { ($0.key, $0.value) })
        if tally.unlisted > 0 { lines.append("\(tally.unlisted.loads) of other hosts") }
        lines.append("")
        lines += table(
            "FIELD",
            LoadComparison.Field.allCases.compactMap { field in tally.fields[field].map { (field.rawValue, $0) } })
        if !differences.isEmpty { lines += [""] + differences }
        if more > 0 { lines.append("and \(more) more; use --json for all") }
        if !tally.reasons.isEmpty {
            lines += ["", "cannot tell:"]
            let reasons = tally.reasons.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
            lines += reasons.map { "  \($0.value) \($0.key.printable)" }
            lines += [
                "",
                "To see what a server does: atsgate probe HOST. To compare its TLS: --with RECORDING of a gate that "
                    + "loaded the same hosts.",
            ]
        }
        return lines.map { $0 + "\n" }.joined()
    }

    private func table(_ title: String, _ rows: [(name: String, counts: ComparisonTally.Counts)]) -> [String] {
        let answers = LoadComparison.Answer.allCases.filter { answer in rows.contains { $0.counts[answer] != nil } }
        let width = min(rows.map(\.name.count).max() ?? 0, widestName) + 2
        let head = title.padded(to: width) + answers.map { $0.rawValue.uppercased().padded(to: columnWidth) }.joined()
        return [head.trimmedEnd]
            + rows.map { row in
                let cells = answers.map { (row.counts[$0].map(String.init) ?? "-").padded(to: columnWidth) }.joined()
                return (row.name.printable.padded(to: width) + cells).trimmedEnd
            }
    }
}

extension String {
    fileprivate var trimmedEnd: String {
        var text = self
        while text.last == " " { text.removeLast() }
        return text
    }
}

private let mostDifferences = 1_000
private let widestName = 48
private let columnWidth = 15
