import ATSPolicy
import Records
import Reporting
import Text

/// What a list shows of a load.
struct LoadRow: Sendable {
    let id: String
    /// Milliseconds since 1970-01-01 UTC.
    let time: Int64
    let recording: String
    let verdict: String
    let rule: String?
    let title: String?
    let observed: String?
    /// As in `-1200 [3:-9802]`.
    let apple: String?
    let method: String
    let url: String
    let host: String
    let status: Int?
    let device: String
    let os: String
    let tls: String?

    init(_ record: LoadRecord) {
        let finding = record.diagnosis?.findings.first
        id = record.id
        time = record.time
        recording = record.recording
        verdict = record.verdict.rawValue
        rule = finding?.rule.rawValue
        title = finding?.title
        observed = finding?.observed
        apple = record.diagnosis?.codes
        method = record.load.method
        url = record.load.url
        host = record.load.target.host
        status = record.status
        device = record.client.device
        os = record.client.os
        tls = record.origin?.facts?.version.name
    }

    /// - Parameter time: in milliseconds since 1970-01-01 UTC.
    init(_ record: ReportedLoad, time: Int64) {
        id = record.id
        self.time = time
        recording = record.recording
        verdict = record.verdict
        rule = record.findings.first?.rule
        title = record.findings.first?.title
        observed = record.findings.first?.observed
        apple = record.apple?.codes
        method = record.load.method
        url = record.load.url
        host = record.load.host
        status = record.status
        device = record.client.label ?? (try? Authority(record.client.address[...]))?.host ?? record.client.address
        os = record.client.os
        tls = record.origin?.tlsVersion
    }

    var json: JSONValue {
        .object([
            ("id", .string(id)), ("time", .number(Int(time))), ("recording", .string(recording)),
            ("verdict", .string(verdict)), ("rule", .text(rule)), ("title", .text(title)),
            ("observed", .text(observed)), ("apple", .text(apple)), ("method", .string(method)),
            ("url", .string(url)), ("host", .string(host)), ("status", .number(status)),
            ("device", .string(device)), ("os", .string(os)), ("tls", .text(tls)),
        ])
    }
}
