import ATSPolicy
import Records

/// Loads that ended the same way for the same reason at the same origin: one row of a report.
struct LoadGroup: Sendable {
    /// What the loads of a group have in common.
    struct Key: Hashable, Sendable {
        let verdict: Verdict
        let origin: String
        let rule: String?
        let codes: String?
        /// What decided, in words.
        let deciding: String?
    }

    let key: Key
    /// The first of them filed.
    let first: ReportedLoad
    /// What its handshake showed; nil where there was none, or nobody kept it.
    let handshake: RecordedHandshake?
    private(set) var loads: Int
    /// When they began.
    private(set) var span: LoadSpan
    private var urls: URLTally

    init(_ group: RecordedGroup, verdict: Verdict) {
        first = group.first.record
        handshake = group.first.handshake
        let finding = first.findings.first
        let policy = first.policy
        key = Key(
            verdict: verdict, origin: "\(first.load.scheme)://\(first.load.host):\(first.load.port)",
            rule: finding?.rule, codes: first.apple?.codes,
            deciding: finding.flatMap { DecidingKey(policy).words(for: $0.rule, keyPath: $0.keyPath) })
        loads = group.loads
        span = group.span
        urls = group.urls
    }

    /// Puts other loads with the same key to these.
    mutating func add(_ other: LoadGroup) {
        loads += other.loads
        span.add(other.span)
        urls.add(other.urls)
    }

    var host: String { first.load.host }
    /// The first URL met.
    var url: String { first.load.url }
    var observed: String? { first.findings.first?.observed }
    var confidence: String? { first.findings.first?.confidence }
    /// Rules that complained as well.
    var alsoRules: [String] { first.findings.dropFirst().map(\.rule) }
    var serverFix: String? { first.remedy?.server.first }
    var exceptionFix: String? { first.remedy?.exception?.sentence }
    var tlsVersion: String? { first.origin?.tlsVersion }
    /// Different URLs met, without their queries; at most ``URLTally/limit``.
    var urlCount: Int { urls.count }
    /// What the app behind the gate was made to see, in words; nil where that is what a device alone would report.
    var shown: String? { TwoNumbers(first).app }

    /// For example ` (+2 other URLs)`; empty when all loads asked for one.
    var otherURLs: String {
        let others = urls.count - 1
        guard others > 0 else { return "" }
        let more = urls.isFull ? " or more" : ""
        return " (+\(others)\(more) other \(others == 1 ? "URL" : "URLs"))"
    }
}
