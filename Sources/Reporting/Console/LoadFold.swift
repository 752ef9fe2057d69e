import ATSPolicy
import Bytes
import Records

/// Folds similar loads of one second and origin into one line, and remembers which reasons were printed already.
///
/// A repeated load costs one look-up and no text, because a gate may have tens of thousands in a second.
struct LoadFold {
    /// The values that all loads of one line share.
    struct Key: Hashable {
        let second: Int64
        let target: LoadTarget
        let verdict: Verdict
        let rule: String?
        let status: Int?
        let label: String?
        let code: Int?
        let streamErrorCode: Int?
        let shown: ShownError?
        /// The device's outcome, in witness mode.
        let outcome: RecordedDevice.Outcome?
        /// The evidence for it.
        let how: String?
    }

    /// One line.
    struct Line {
        let load: LoadRecord
        var times = 1
        var hasOtherURLs = false
        /// True if this host and rule occur together for the first time.
        let isFirstSeen: Bool
        fileprivate let key: Key
    }

    private var lines: [Line] = []
    private var places: [Key: Int] = [:]
    /// Indices of recently used lines. The next load usually belongs to one of them.
    private var latest: [Int] = []
    /// Hashes of hosts with rules that occurred.
    private var seenPairs: Set<Int> = []
    private var budget = ByteBudget(.console, limit: 4 << 20)
    /// Loads that had no line, beyond ``longest``.
    private var unshown = 0
    private(set) var tally = ConsoleTally()

    mutating func add(_ records: [LoadRecord]) {
        for record in records { add(record) }
    }

    private mutating func add(_ record: LoadRecord) {
        guard let place = latest.last(where: { lines[$0].key.holds(record) }) else {
            return look(up: record)
        }
        tally.add(record.verdict)
        repeated(record, at: place)
    }

    private mutating func repeated(_ record: LoadRecord, at place: Int) {
        lines[place].times += 1
        guard !lines[place].hasOtherURLs else { return }
        lines[place].hasOtherURLs = lines[place].load.load.path != record.load.path
    }

    /// Returns and removes the lines, in order of their first load, and the number of loads without one.
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

    private mutating func look(up record: LoadRecord) {
        let key = Key(record)
        tally.add(key.verdict)
        if let place = places[key] {
            repeated(record, at: place)
            return remember(place)
        }
        tally.meet(key.target.host, key.verdict)
        guard lines.count < Self.longest, budget.hasRoom(for: 0) else {
            unshown += 1
            return
        }
        places[key] = lines.count
        remember(lines.count)
        budget.add(record.lineBytes)
        lines.append(Line(load: record, isFirstSeen: noteReason(of: key), key: key))
    }

    private mutating func remember(_ place: Int) {
        if latest.count == Self.remembered { latest.removeFirst() }
        latest.append(place)
    }

    /// - Returns: true if this host and rule occur together for the first time.
    private mutating func noteReason(of key: Key) -> Bool {
        guard let rule = key.rule, seenPairs.count < Self.reasons else { return false }
        return seenPairs.insert([key.target.host, rule].hashValue).inserted
    }

    private static let remembered = 32
    /// The most lines at one time; more cannot be read anyway.
    private static let longest = 2048
    /// The most pairs of host and rule to remember. Reasons of others are only in the report.
    private static let reasons = 10_000
}

extension LoadFold.Key {
    init(_ record: LoadRecord) {
        second = record.time / 1000
        target = record.load.target
        verdict = record.verdict
        rule = record.rule?.rawValue
        status = record.status
        label = record.client.label
        code = record.apple?.code
        streamErrorCode = record.apple?.streamErrorCode
        shown = record.shown
        outcome = record.device?.outcome
        how = record.device?.how
    }

    /// True if this is the key of `record`.
    func holds(_ record: LoadRecord) -> Bool {
        guard second == record.time / 1000, verdict == record.verdict,
            target == record.load.target, label == record.client.label,
            shown == record.shown, status == record.status,
            outcome == record.device?.outcome, how == record.device?.how
        else { return false }
        guard let diagnosis = record.diagnosis else { return rule == nil && code == nil }
        return rule == diagnosis.rule?.rawValue && code == diagnosis.apple?.code
            && streamErrorCode == diagnosis.apple?.streamErrorCode
    }
}

extension LoadRecord {
    /// The approximate size of a line in memory. Most of a record is shared with others.
    fileprivate var lineBytes: Int { 1_024 + self.load.url.utf8.count + (self.diagnosis?.bytes ?? 0) }
}

/// The counts in the status line.
struct ConsoleTally {
    private var loads = 0
    private var passed = 0
    private var outside = 0
    private var blocked = 0
    private var failed = 0
    /// Hashes instead of texts.
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

    /// Counts a host with blocked loads, once.
    mutating func meet(_ host: String, _ verdict: Verdict) {
        guard verdict == .blocked || verdict == .wouldBlock, blockedHosts.count < Self.hosts else { return }
        blockedHosts.insert(host.hashValue)
    }

    /// For example `126 loads, 4 allowed, 122 blocked on 2 hosts`.
    var words: String {
        var parts = [loads == 1 ? "1 load" : "\(loads) loads", "\(passed) allowed"]
        if blocked > 0 {
            let hosts = blockedHosts.count >= Self.hosts ? "\(Self.hosts) hosts or more" : "\(blockedHosts.count) hosts"
            parts.append("\(blocked) blocked on \(blockedHosts.count == 1 ? "1 host" : hosts)")
        }
        if failed > 0 { parts.append("\(failed) failed") }
        if outside > 0 { parts.append("\(outside) outside") }
        return parts.joined(separator: ", ")
    }

    /// The highest number of hosts that is counted.
    private static let hosts = 10_000
}
