import ATSPolicy
public import Records

/// One row of a store: the columns that filters use, and the record's own JSON line.
public struct StoredRecord: Sendable, Hashable {
    public let id: String
    public let recording: String
    /// Milliseconds since 1970-01-01 UTC.
    public let time: Int64
    public let host: String
    public let verdict: Verdict
    public let rule: String?
    public let os: String
    /// The JSON as stored, without a line end.
    public let json: String

    public init(
        id: String, recording: String, time: Int64, host: String, verdict: Verdict, rule: String?, os: String,
        json: String
    ) {
        self.id = id
        self.recording = recording
        self.time = time
        self.host = host
        self.verdict = verdict
        self.rule = rule
        self.os = os
        self.json = json
    }

    /// The row that a store would contain, for reports of a run without a store.
    public init(_ record: LoadRecord) {
        var json: [UInt8] = []
        RecordJSON.append(record, to: &json)
        self.init(
            id: record.id, recording: record.recording, time: record.time, host: record.load.target.host,
            verdict: record.verdict, rule: record.diagnosis?.findings.first?.rule.rawValue, os: record.client.os,
            json: String(decoding: json, as: UTF8.self))
    }
}

/// One recording of a store, in brief.
public struct RecordingSummary: Sendable, Hashable {
    public let name: String
    public let loads: Int
    /// When the first and the last load began, in milliseconds since 1970-01-01 UTC.
    public let first: Int64
    public let last: Int64

    public init(name: String, loads: Int, first: Int64, last: Int64) {
        self.name = name
        self.loads = loads
        self.first = first
        self.last = last
    }
}
