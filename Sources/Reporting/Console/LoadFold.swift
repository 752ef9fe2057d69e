import Records

/// Loads of one second that end alike at one origin, together; and which reasons were told already.
struct LoadFold {
    private struct Key: Hashable {
        let second: Int64
        let origin: String
        let verdict: Verdict
        let rule: String?
        let label: String?
        let numbers: TwoNumbers
    }

    /// One line.
    struct Line {
        let load: ToldLoad
        var times = 1
        var hasOtherURLs = false
        /// Host and rule meet for the first time.
        let isNews: Bool
    }

    private struct Meeting: Hashable {
        let host: String
        let rule: String
    }

    private var lines: [Line] = []
    private var places: [Key: Int] = [:]
    private var met: Set<Meeting> = []
    private(set) var tally = ConsoleTally()

    var isEmpty: Bool { lines.isEmpty }

    mutating func add(_ load: ToldLoad) {
        tally.add(load)
        let key = Key(
            second: load.time / 1000, origin: load.origin, verdict: load.verdict, rule: load.rule, label: load.label,
            numbers: load.numbers)
        if let place = places[key] {
            lines[place].times += 1
            if lines[place].load.url != load.url { lines[place].hasOtherURLs = true }
            return
        }
        places[key] = lines.count
        lines.append(Line(load: load, isNews: isNews(load)))
    }

    /// Hands out what was gathered, in the order in which it began.
    mutating func take() -> [Line] {
        defer {
            lines.removeAll(keepingCapacity: true)
            places.removeAll(keepingCapacity: true)
        }
        return lines
    }

    private mutating func isNews(_ load: ToldLoad) -> Bool {
        guard let rule = load.rule, met.count < Self.meetings else { return false }
        return met.insert(Meeting(host: load.host, rule: rule)).inserted
    }

    /// Hosts with rules that are remembered; the reasons of those beyond are in the report.
    private static let meetings = 10_000
}

/// How loads went so far, for the status line.
struct ConsoleTally {
    private var loads = 0
    private var passed = 0
    private var blocked = 0
    private var failed = 0
    private var blockedHosts: Set<String> = []

    mutating func add(_ load: ToldLoad) {
        loads += 1
        switch load.verdict {
        case .allowed, .outside: passed += 1
        case .blocked, .wouldBlock:
            blocked += 1
            if blockedHosts.count < Self.hosts { blockedHosts.insert(load.host) }
        case .failed: failed += 1
        }
    }

    /// For example `126 loads, 4 ok, 122 blocked on 2 hosts`.
    var words: String {
        var parts = [loads == 1 ? "1 load" : "\(loads) loads", "\(passed) ok"]
        if blocked > 0 {
            let hosts = blockedHosts.count >= Self.hosts ? "\(Self.hosts) hosts or more" : "\(blockedHosts.count) hosts"
            parts.append("\(blocked) blocked on \(blockedHosts.count == 1 ? "1 host" : hosts)")
        }
        if failed > 0 { parts.append("\(failed) failed") }
        return parts.joined(separator: ", ")
    }

    /// Hosts that are counted one by one.
    private static let hosts = 10_000
}
