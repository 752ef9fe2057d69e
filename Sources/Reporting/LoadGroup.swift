import ATSPolicy
import Records

/// Loads that ended the same way for the same reason at the same origin: one row of a text report.
struct LoadGroup {
    /// What the loads of a group have in common.
    struct Key: Hashable {
        let verdict: Verdict
        let origin: String
        let rule: String?
        let codes: String?
        /// What decided, in words.
        let deciding: String?
    }

    let key: Key
    /// The first URL met.
    let url: String
    let observed: String?
    let confidence: String?
    /// Rules that complained as well.
    let alsoRules: [String]
    let serverFix: String?
    let exceptionFix: String?
    let tlsVersion: String?
    var loads = 1
    /// URLs met, without their queries; no longer counted beyond ``urlLimit``.
    private var urls: Set<Substring>

    /// - Parameter load: first load of the group.
    init(_ load: ReportedLoad, verdict: Verdict) {
        let finding = load.findings.first
        key = Key(
            verdict: verdict, origin: "\(load.load.scheme)://\(load.load.host):\(load.load.port)", rule: finding?.rule,
            codes: load.apple?.codes,
            deciding: finding.flatMap { DecidingKey(load.policy).words(for: $0.rule, keyPath: $0.keyPath) })
        url = load.load.url
        observed = finding?.observed
        confidence = finding?.confidence
        alsoRules = load.findings.dropFirst().map(\.rule)
        serverFix = load.remedy?.server.first
        exceptionFix = load.remedy?.exception?.sentence
        tlsVersion = load.origin?.tlsVersion
        urls = [url.withoutQuery]
    }

    /// Counts another load with the same key.
    mutating func add(_ other: LoadGroup) {
        loads += other.loads
        if urls.count < urlLimit { urls.formUnion(other.urls) }
    }

    /// For example ` (+2 other URLs)`; empty when all loads asked for one.
    var otherURLs: String {
        let others = urls.count - 1
        guard others > 0 else { return "" }
        let more = urls.count >= urlLimit ? " or more" : ""
        return " (+\(others)\(more) other \(others == 1 ? "URL" : "URLs"))"
    }
}

extension String {
    fileprivate var withoutQuery: Substring {
        utf8.firstIndex(of: UInt8(ascii: "?")).map { self[..<$0] } ?? self[...]
    }
}

/// Beyond this a report only says "or more"; a crawl must not fill the memory.
private let urlLimit = 1000
