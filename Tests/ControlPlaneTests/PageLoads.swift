import ATSPolicy
import Foundation
import Records

/// Records for the page.
enum PageLoads {
    static func load(
        _ number: Int = 0, recording: String = "first", verdict: Verdict = .allowed, host: String = "api.lab.test",
        rule: RuleID? = nil, label: String? = nil
    ) -> LoadRecord {
        var record = LoadRecord(
            time: 1_770_091_506_000 + Int64(number), recording: recording,
            client: RecordedClient(
                address: "127.0.0.1:\(50_000 + number % 1000)", label: label, userAgent: nil, loader: .app,
                os: "ios26.4"),
            load: RecordedRequest(
                method: "GET", path: "/\(number)", target: LoadTarget(scheme: .http, host: host, port: 80),
                wireProtocol: .http1),
            policy: RecordedPolicy(source: nil, bundleID: nil, os: "ios26.4", basis: nil), verdict: verdict)
        record.id = id(number)
        if let rule { record.diagnosis = diagnosis(rule, observed: "\(host) is cleartext") }
        return record
    }

    /// The id of the load with this number, in the format of gates.
    static func id(_ number: Int) -> String {
        LoadID(high: 1_770_091_506_000 << 16, low: UInt64(number)).description
    }

    static func blocked(_ number: Int = 0, recording: String = "first", host: String = "plain.test") -> LoadRecord {
        load(number, recording: recording, verdict: .blocked, host: host, rule: .cleartextLoad)
    }

    static func diagnosis(_ rule: RuleID, observed: String) -> RecordedDiagnosis {
        let finding = Finding(
            rule: rule, title: "A title", keyPath: nil, expected: "another", observed: observed,
            confidence: .documented, source: "a source")
        return RecordedDiagnosis(findings: [finding], apple: nil, remedy: Remedy(server: ["Mend it."], exception: nil))
    }

    /// A record with `text` in every place that a client or an origin can fill.
    static func filled(with text: String) -> LoadRecord {
        var record = LoadRecord(
            time: 1_770_091_506_000, recording: text,
            client: RecordedClient(
                address: text, label: text, userAgent: text, loader: .app, os: "ios26.4", osEvidence: text,
                osNotes: [text]),
            load: RecordedRequest(
                method: text, path: "/\(text)", target: LoadTarget(scheme: .http, host: text, port: 80),
                wireProtocol: .http1, redirectedFrom: text),
            policy: RecordedPolicy(source: text, bundleID: text, os: "ios26.4", basis: nil), verdict: .blocked)
        record.id = id(0)
        record.diagnosis = diagnosis(.cleartextLoad, observed: text)
        record.via = text
        record.removed = [text]
        return record
    }
}
