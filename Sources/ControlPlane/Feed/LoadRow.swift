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
    /// As in `https://example.com`.
    let origin: String
    /// nil where the load had no answer.
    let status: Int?
    /// From the first byte of the request to the end of the load.
    let milliseconds: Int64?
    /// Payload.
    let bytesSent: Int64
    let bytesReceived: Int64
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
        origin = record.load.target.origin
        status = record.status
        milliseconds = record.timing.total / 1000
        bytesSent = record.bytesSent
        bytesReceived = record.bytesReceived
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
        let authority = Authority(host: record.load.host, port: record.load.port)
        origin =
            LoadTarget.Scheme(rawValue: record.load.scheme).map {
                LoadTarget(scheme: $0, host: authority.host, port: authority.port ?? $0.defaultPort).origin
            } ?? "\(record.load.scheme)://\(authority)"
        status = record.status
        milliseconds = record.timing.totalMs.flatMap { Int64(exactly: $0.rounded(.down)) }
        bytesSent = record.bytes.sent
        bytesReceived = record.bytes.received
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
            ("milliseconds", .number(milliseconds.map { Int($0) })), ("sent", .number(Int(bytesSent))),
            ("received", .number(Int(bytesReceived))),
        ])
    }
}
