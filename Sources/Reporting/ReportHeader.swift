import Records
import Text

/// The top of a text report: what was recorded, under which law, and how it went.
struct ReportHeader {
    private(set) var recordings = OrderedNames()
    private(set) var systems = OrderedNames()
    private(set) var policies = OrderedNames()
    /// Of the earliest load and the latest, as records have it.
    private(set) var first: String?
    private(set) var last: String?
    private(set) var counts: [Verdict: Int] = [:]

    var loads: Int { counts.values.reduce(0, +) }

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
        let verdicts = Verdict.allCases.compactMap { verdict in
            counts[verdict].map { paint.verdict("\($0) \(verdict.words)", verdict) }
        }
        let split = verdicts.isEmpty ? "" : ": " + verdicts.joined(separator: ", ")
        return text + "  " + "loads".padded(to: 11) + String(loads) + split + "\n"
    }

    private func line(_ label: String, _ value: String) -> String {
        "  " + label.padded(to: 11) + (value.isEmpty ? "-" : value.printable) + "\n"
    }
}

/// Names in the order met, each once.
struct OrderedNames {
    private(set) var names: [String] = []

    mutating func add(_ name: String) {
        if !names.contains(name) { names.append(name) }
    }

    var text: String { names.joined(separator: ", ") }
}
