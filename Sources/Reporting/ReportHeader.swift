import Records
import Text

/// The top of a text report: what was recorded, under which law, and how it went.
struct ReportHeader {
    private var recordings = OrderedNames()
    private var systems = OrderedNames()
    private var policies = OrderedNames()
    private var first: String?
    private var last: String?
    private var counts: [Verdict: Int] = [:]

    /// Takes one load in.
    mutating func add(_ load: ReportedLoad, verdict: Verdict) {
        recordings.add(load.recording)
        systems.add(load.policy.os)
        let bundle = load.policy.bundleID.map { " (\($0))" } ?? ""
        policies.add((load.policy.source ?? "secure defaults") + bundle)
        first = min(first ?? load.time, load.time)
        last = max(last ?? load.time, load.time)
        counts[verdict, default: 0] += 1
    }

    /// The header, one fact per line.
    func text(paint: Paint) -> String {
        var text = paint.strong("atsgate report") + "\n"
        text += line("recording", recordings.text)
        text += line("os", systems.text)
        text += line("policy", policies.text)
        if let first, let last { text += line("time", first == last ? first : "\(first) to \(last)") }
        let total = counts.values.reduce(0, +)
        let verdicts = Verdict.allCases.compactMap { verdict in
            counts[verdict].map { paint.verdict("\($0) \(verdict.words)", verdict) }
        }
        let split = verdicts.isEmpty ? "" : ": " + verdicts.joined(separator: ", ")
        return text + "  " + "loads".padded(to: 11) + String(total) + split + "\n"
    }

    private func line(_ label: String, _ value: String) -> String {
        "  " + label.padded(to: 11) + (value.isEmpty ? "-" : value.printable) + "\n"
    }
}

/// Names in the order met, each once.
private struct OrderedNames {
    private var names: [String] = []

    mutating func add(_ name: String) {
        if !names.contains(name) { names.append(name) }
    }

    var text: String { names.joined(separator: ", ") }
}
