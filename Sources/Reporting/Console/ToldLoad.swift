import ATSPolicy
import Records

/// What the console says of one load, as it was filed or as it was read back.
struct ToldLoad {
    /// Milliseconds since 1970-01-01 UTC.
    let time: Int64
    let label: String?
    let verdict: Verdict
    let rule: String?
    let host: String
    let url: String
    /// nil for `GET`.
    let method: String?
    let status: Int?
    let tlsVersion: String?
    let milliseconds: Int64
    let numbers: TwoNumbers
    /// What the device did, where a gate watched or its log tells.
    let device: String?
    /// What a device prints, in order.
    let log: [String]
    let reasons: LoadReasons

    /// What it takes in memory, about.
    var bytes: Int {
        let texts = log + reasons.server + [url, host, rule ?? "", reasons.observed ?? "", reasons.exception ?? ""]
        return texts.reduce(1_024) { $0 + $1.utf8.count }
    }
}

/// Why a load did not pass, and what would help.
struct LoadReasons {
    let observed: String?
    let deciding: String?
    let alsoRules: [String]
    /// What to change on the server, and why no key helps.
    let server: [String]
    let exception: String?
}

extension ToldLoad {
    init(_ record: LoadRecord) {
        let finding = record.diagnosis?.findings.first
        time = record.time
        label = record.client.label
        verdict = record.verdict
        rule = finding?.rule.rawValue
        host = record.load.target.host
        url = record.load.url
        method = Self.told(record.load.method)
        status = record.status
        tlsVersion = record.origin?.facts?.version.name
        milliseconds = record.timing.total / 1000
        numbers = TwoNumbers(record)
        device = record.device.map { Self.words($0.outcome.rawValue, $0.how) }
        log = record.diagnosis?.apple?.log ?? []
        reasons = LoadReasons(
            observed: finding?.observed,
            deciding: finding.flatMap { DecidingKey(record.policy).words(for: $0.rule.rawValue, keyPath: $0.keyPath) },
            alsoRules: record.diagnosis?.findings.dropFirst().map(\.rule.rawValue) ?? [],
            server: record.diagnosis?.remedy?.server ?? [], exception: record.diagnosis?.remedy?.exception?.sentence)
    }

    /// - Parameters:
    ///   - load: as read back.
    ///   - stored: the row it was read from.
    init(_ load: ReportedLoad, of stored: StoredRecord) {
        let finding = load.findings.first
        time = stored.time
        label = load.client.label
        verdict = stored.verdict
        rule = finding?.rule
        host = load.load.host
        url = load.load.url
        method = Self.told(load.load.method)
        status = load.status
        tlsVersion = load.origin?.tlsVersion
        milliseconds = load.timing.totalMs.flatMap { Int64(exactly: $0.rounded(.down)) } ?? 0
        numbers = TwoNumbers(load)
        device = load.device.map { Self.words($0.outcome, $0.how) }
        log = load.apple?.log ?? []
        reasons = LoadReasons(
            observed: finding?.observed,
            deciding: finding.flatMap { DecidingKey(load.policy).words(for: $0.rule, keyPath: $0.keyPath) },
            alsoRules: load.findings.dropFirst().map(\.rule), server: load.remedy?.server ?? [],
            exception: load.remedy?.exception?.sentence)
    }

    /// For example `device refused (alert-48)`.
    static func words(_ outcome: String, _ how: String?) -> String {
        "device \(outcome)" + (how.map { " (\($0))" } ?? "")
    }

    /// What goes without saying is not said: GET, and that https through a proxy begins with CONNECT.
    private static func told(_ method: String) -> String? { ["GET", "CONNECT"].contains(method) ? nil : method }
}
