import ATSPolicy
import Records
import Reporting
import Text

/// Loads of one device that ended the same way for the same reason at the same origin: a row of the page.
struct LiveGroup: Sendable {
    struct Key: Hashable, Sendable {
        let recording: String
        let verdict: Verdict
        let target: LoadTarget
        let rule: String?
        let device: String
        /// The app's name in the User-Agent; nil without one.
        let app: String?
        let os: String
        let entrance: LoadEntrance
        /// The meaning of the hello; nil without TLS.
        let hello: HelloReading.Kind?

        init(_ record: LoadRecord) {
            recording = record.recording
            verdict = record.verdict
            target = record.load.target
            rule = record.rule?.rawValue
            device = record.client.device
            app = record.client.app
            os = record.client.os
            entrance = record.client.wayIn
            hello = record.client.hello?.reads
        }

        /// True if the record has this key.
        func holds(_ record: LoadRecord) -> Bool {
            verdict == record.verdict && rule == record.rule?.rawValue
                && target == record.load.target && device == record.client.device && app == record.client.app
                && os == record.client.os && entrance == record.client.wayIn
                && recording == record.recording && hello == record.client.hello?.reads
        }

        /// True if two records have the same key, without creating either key.
        static func isShared(by one: LoadRecord, _ other: LoadRecord) -> Bool {
            one.verdict == other.verdict
                && one.rule == other.rule
                && one.load.target == other.load.target
                && one.client.isSame(as: other.client) && one.client.hello?.reads == other.client.hello?.reads
                && one.recording == other.recording
        }
    }

    let number: Int
    let key: Key
    private(set) var loads = 0
    /// The latest load.
    private(set) var last: LatestLoad
    /// The field by which a search found it, if no column shows that; nil for live groups.
    var match: String?
    /// The number of the change that updated it last.
    private(set) var change = 0

    /// The shown parts of a load. Holds references, so that replacing it is cheap.
    struct LatestLoad: Sendable {
        let id: String
        let time: Int64
        let diagnosis: RecordedDiagnosis?
        let milliseconds: Int64
        let bytesSent: Int64
        let bytesReceived: Int64
    }

    init(number: Int, key: Key, last: LoadRecord) {
        self.number = number
        self.key = key
        self.last = LatestLoad(last)
    }

    /// Its approximate memory in bytes.
    var bytes: Int {
        512 + key.target.host.utf8.count + key.device.utf8.count + (key.app?.utf8.count ?? 0)
            + (last.diagnosis?.bytes ?? 0)
    }

    /// Counts `times` loads, the latest of which is `record`.
    ///
    /// - Parameter hasRoom: false if the latest load may only be replaced by one that needs no more memory.
    mutating func add(_ record: LoadRecord, times: Int, change: Int, hasRoom: Bool) {
        loads += times
        if hasRoom || record.diagnosis?.bytes ?? 0 <= last.diagnosis?.bytes ?? 0 { last = LatestLoad(record) }
        self.change = change
    }

    /// Counts `times` loads of a store, the latest of which is `record`.
    mutating func add(_ record: LoadRecord, times: Int) {
        loads += times
        if record.time >= last.time { last = LatestLoad(record) }
    }

    /// A row of the page.
    var json: JSONValue {
        let finding = last.diagnosis?.findings.first
        return .object([
            ("group", .number(number)), ("recording", .string(key.recording)),
            ("verdict", .string(key.verdict.rawValue)), ("origin", .string(key.target.origin)),
            ("host", .string(key.target.host)), ("rule", .text(key.rule)), ("title", .text(finding?.title)),
            ("observed", .text(finding?.observed)), ("apple", .text(last.diagnosis?.apple?.codes)),
            ("device", .string(key.device)), ("app", .text(key.app)), ("os", .string(key.os)),
            ("entrance", .string(key.entrance.rawValue)), ("hello", .text(key.hello?.rawValue)),
            ("loads", .number(loads)), ("last", .string(last.id)), ("time", .number(Int(last.time))),
            ("milliseconds", .number(Int(last.milliseconds))), ("sent", .number(Int(last.bytesSent))),
            ("received", .number(Int(last.bytesReceived))), ("found", .text(match)),
        ])
    }
}

extension LiveGroup.LatestLoad {
    fileprivate init(_ record: LoadRecord) {
        id = record.id
        time = record.time
        diagnosis = record.diagnosis
        milliseconds = record.timing.total / 1000
        bytesSent = record.bytesSent
        bytesReceived = record.bytesReceived
    }
}

extension LiveGroup {
    /// The page's groups of stored loads, in the order first seen, each with its latest load.
    ///
    /// - Parameters:
    ///   - search: the words that found them.
    ///   - limit: the number of groups; loads of further groups are left out.
    static func groups(of loads: [SimilarLoads], found search: LoadSearch, limit: Int) -> [LiveGroup] {
        var groups: [LiveGroup] = []
        var places: [Key: Int] = [:]
        for similar in loads {
            let key = Key(similar.last)
            let place = places[key] ?? groups.count
            if place == groups.count {
                guard groups.count < limit else { continue }
                places[key] = place
                groups.append(LiveGroup(number: place, key: key, last: similar.last))
            }
            groups[place].add(similar.last, times: similar.loads)
            groups[place].match = groups[place].match ?? similar.last.match(of: search)
        }
        return groups
    }
}
