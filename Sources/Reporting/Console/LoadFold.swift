import ATSPolicy
import Bytes
import Records

/// Loads of one second that end alike at one origin, together; and which reasons were told already.
///
/// A load that is like another costs a look-up and no text: a gate has tens of thousands of them in a second.
struct LoadFold {
    /// What loads of one line have in common.
    struct Key: Hashable {
        let second: Int64
        let scheme: String
        let host: String
        let port: Int
        let verdict: Verdict
        let rule: String?
        let status: Int?
        let label: String?
        let code: Int?
        let streamErrorCode: Int?
        let shown: Shown?
        /// What the device did, where a gate watched.
        let device: String?
    }

    /// One line.
    struct Line {
        let load: ToldLoad
        var times = 1
        var hasOtherURLs = false
        /// Host and rule meet for the first time.
        let isNews: Bool
        fileprivate let path: String
        fileprivate let key: Key
    }

    private var lines: [Line] = []
    private var places: [Key: Int] = [:]
    /// Of lines that loads came to lately: the next one mostly belongs to one of them.
    private var latest: [Int] = []
    /// Of hosts with rules: numbers instead of texts.
    private var met: Set<Int> = []
    private var budget = ByteBudget(.console, limit: 4 << 20)
    /// Loads of lines beyond ``longest``.
    private var unshown = 0
    private(set) var tally = ConsoleTally()

    mutating func add(_ records: [LoadRecord]) {
        records.withUnsafeBufferPointer { records in
            guard let first = records.baseAddress else { return }
            for record in first..<first + records.count { add(record) }
        }
    }

    /// Looks at the record where it is: a copy of one costs more than all that is done with it.
    private mutating func add(_ record: UnsafePointer<LoadRecord>) {
        guard let place = latest.last(where: { lines[$0].key.holds(record) }) else {
            return add(Key(record.pointee), path: record.pointee.load.path) { ToldLoad(record.pointee) }
        }
        tally.add(record.pointee.verdict)
        lines[place].times += 1
        if !lines[place].hasOtherURLs, lines[place].path != record.pointee.load.path {
            lines[place].hasOtherURLs = true
        }
    }

    mutating func add(_ load: ReportedLoad, of stored: StoredRecord) {
        add(Key(load, of: stored), path: load.load.url) { ToldLoad(load, of: stored) }
    }

    /// Hands out what was gathered, in the order in which it began, and how many loads had no room.
    mutating func take() -> (lines: [Line], unshown: Int) {
        defer {
            unshown = 0
            budget.add(-budget.heldBytes)
            lines.removeAll(keepingCapacity: true)
            places.removeAll(keepingCapacity: true)
            latest.removeAll(keepingCapacity: true)
        }
        return (lines, unshown)
    }

    private mutating func add(_ key: Key, path: String, _ load: () -> ToldLoad) {
        tally.add(key.verdict)
        if let place = places[key] {
            lines[place].times += 1
            if lines[place].path != path { lines[place].hasOtherURLs = true }
            return remember(place)
        }
        tally.meet(key.host, key.verdict)
        guard lines.count < Self.longest, budget.hasRoom(for: 0) else {
            unshown += 1
            return
        }
        places[key] = lines.count
        remember(lines.count)
        let load = load()
        budget.add(load.bytes)
        lines.append(Line(load: load, isNews: isNews(load), path: path, key: key))
    }

    private mutating func remember(_ place: Int) {
        if latest.count == Self.remembered { latest.removeFirst() }
        latest.append(place)
    }

    private mutating func isNews(_ load: ToldLoad) -> Bool {
        guard let rule = load.rule, met.count < Self.meetings else { return false }
        return met.insert([load.host, rule].hashValue).inserted
    }

    private static let remembered = 8
    /// More lines at once than anybody reads.
    private static let longest = 2048
    /// Hosts with rules that are remembered; the reasons of those beyond are in the report.
    private static let meetings = 10_000
}

extension LoadFold.Key {
    init(_ record: LoadRecord) {
        second = record.time / 1000
        scheme = record.load.target.scheme.rawValue
        host = record.load.target.host
        port = record.load.target.port
        verdict = record.verdict
        rule = record.diagnosis?.rule?.rawValue
        status = record.status
        label = record.client.label
        code = record.diagnosis?.apple?.code
        streamErrorCode = record.diagnosis?.apple?.streamErrorCode
        shown = record.shown
        device = record.device.map { ToldLoad.words($0.outcome.rawValue, $0.how) }
    }

    /// Whether that is its key.
    func holds(_ record: UnsafePointer<LoadRecord>) -> Bool {
        guard second == record.pointee.time / 1000, verdict == record.pointee.verdict,
            port == record.pointee.load.target.port, host == record.pointee.load.target.host,
            scheme == record.pointee.load.target.scheme.rawValue, label == record.pointee.client.label,
            shown == record.pointee.shown, status == record.pointee.status,
            device == record.pointee.device.map({ ToldLoad.words($0.outcome.rawValue, $0.how) })
        else { return false }
        guard let diagnosis = record.pointee.diagnosis else { return rule == nil && code == nil }
        return rule == diagnosis.rule?.rawValue && code == diagnosis.apple?.code
            && streamErrorCode == diagnosis.apple?.streamErrorCode
    }

    init(_ load: ReportedLoad, of stored: StoredRecord) {
        second = stored.time / 1000
        scheme = load.load.scheme
        host = load.load.host
        port = load.load.port
        verdict = stored.verdict
        rule = load.findings.first?.rule
        status = load.status
        label = load.client.label
        code = load.apple?.code
        streamErrorCode = load.apple?.streamErrorCode
        shown = load.shown.flatMap { shown in
            Shown.Style(rawValue: shown.style).map {
                Shown(style: $0, code: shown.code, streamErrorCode: shown.streamErrorCode)
            }
        }
        device = load.device.map { ToldLoad.words($0.outcome, $0.how) }
    }
}

/// How loads went so far, for the status line.
struct ConsoleTally {
    private var loads = 0
    private var passed = 0
    private var outside = 0
    private var blocked = 0
    private var failed = 0
    /// Numbers instead of texts.
    private var blockedHosts: Set<Int> = []

    mutating func add(_ verdict: Verdict) {
        loads += 1
        switch verdict {
        case .allowed: passed += 1
        case .outside: outside += 1
        case .blocked, .wouldBlock: blocked += 1
        case .failed: failed += 1
        }
    }

    /// Whenever a host may be new.
    mutating func meet(_ host: String, _ verdict: Verdict) {
        guard verdict == .blocked || verdict == .wouldBlock, blockedHosts.count < Self.hosts else { return }
        blockedHosts.insert(host.hashValue)
    }

    /// For example `126 loads, 4 ok, 122 blocked on 2 hosts`.
    var words: String {
        var parts = [loads == 1 ? "1 load" : "\(loads) loads", "\(passed) ok"]
        if blocked > 0 {
            let hosts = blockedHosts.count >= Self.hosts ? "\(Self.hosts) hosts or more" : "\(blockedHosts.count) hosts"
            parts.append("\(blocked) blocked on \(blockedHosts.count == 1 ? "1 host" : hosts)")
        }
        if failed > 0 { parts.append("\(failed) failed") }
        if outside > 0 { parts.append("\(outside) outside") }
        return parts.joined(separator: ", ")
    }

    /// Hosts that are counted one by one.
    private static let hosts = 10_000
}
