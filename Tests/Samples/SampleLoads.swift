package import ATSPolicy
import Foundation
package import Records
import Reporting

/// Records for archives, stores and reports.
package enum SampleLoads {
    package static func plain(
        _ number: Int = 0, recording: String = "nightly", verdict: Verdict = .allowed, host: String = "api.lab.test"
    ) -> LoadRecord {
        var record = LoadRecord(
            time: 1_770_091_506_000 + Int64(number), recording: recording,
            client: RecordedClient(address: "127.0.0.1:50123", label: nil, userAgent: nil, loader: .app, os: "ios26"),
            load: RecordedRequest(
                method: "GET", path: "/\(number)", target: LoadTarget(scheme: .https, host: host, port: 443),
                wireProtocol: .http1),
            policy: RecordedPolicy(
                source: "App/Info.plist", bundleID: "test.lab.demo", os: "ios26",
                basis: RulingBasis(step: .secureDefault)),
            verdict: verdict)
        record.origin = RecordedOrigin(address: "192.0.2.7:443", facts: verdict == .allowed ? facts : nil)
        record.status = verdict == .allowed ? 200 : nil
        record.timing.total = 12_345
        record.id = id(number)
        return record
    }

    package static func forwardSecrecy(
        _ number: Int = 0, verdict: Verdict = .blocked, confidence: Confidence = .observed
    ) -> LoadRecord {
        let domain = "rsa-kx.lab.test"
        let key = "NSExceptionRequiresForwardSecrecy"
        var record = plain(number, verdict: verdict, host: domain)
        let finding = Finding(
            rule: .forwardSecrecy, title: "Forward secrecy",
            keyPath: "NSAppTransportSecurity.NSExceptionDomains.\(domain).\(key)", expected: "ECDHE",
            observed: "origin chose TLS_RSA_WITH_AES_128_GCM_SHA256", confidence: confidence, source: "4.3")
        let apple = AppleError(
            domain: "NSURLErrorDomain", code: -1200, constant: "NSURLErrorSecureConnectionFailed",
            message: "A TLS error caused the secure connection to fail.",
            stream: AppleError.Stream(domain: 3, code: -9802, constant: "errSSLFatalAlert", detail: -9882),
            log: ["Connection 1: encountered error(3:-9802)"], confidence: .observed)
        record.diagnosis = RecordedDiagnosis(
            findings: [finding], apple: apple,
            remedy: Remedy(
                server: ["Offer an ECDHE suite."],
                exception: ExceptionFix(domain: domain, settings: [.init(key, .flag(false))])))
        return record
    }

    /// An http load that an entry of the dictionary allows.
    package static func cleartext(_ number: Int = 0) -> LoadRecord {
        let host = "open.lab.test"
        let key = "NSAppTransportSecurity.NSExceptionDomains.\(host).NSExceptionAllowsInsecureHTTPLoads"
        var record = plain(number, host: host)
        record.load = RecordedRequest(
            method: "GET", path: "/\(number)", target: LoadTarget(scheme: .http, host: host, port: 80),
            wireProtocol: .http1)
        record.policy = RecordedPolicy(
            source: "App/Info.plist", bundleID: "test.lab.demo", os: "ios26",
            basis: RulingBasis(step: .exception, keyPath: key, entry: host), line: 9)
        record.origin = RecordedOrigin(address: "192.0.2.7:80", facts: nil)
        return record
    }

    package static func unreachable() -> LoadRecord {
        var record = plain(verdict: .failed, host: "gone.lab.test")
        let finding = Finding(
            rule: .netRefused, title: "Connection refused", keyPath: nil, expected: "an open port",
            observed: "port 443 of gone.lab.test is closed", confidence: .observed, source: "6.6")
        record.diagnosis = RecordedDiagnosis(findings: [finding], apple: nil, remedy: nil)
        return record
    }

    /// A load of a client that ATS does not govern.
    package static func outside(
        _ number: Int = 0, by program: ClientProgram = .safari, host: String = "api.lab.test"
    ) -> LoadRecord {
        var record = plain(number, verdict: .outside, host: host)
        record.client = RecordedClient(
            address: "127.0.0.1:50123", label: nil, userAgent: "\(program.rawValue)/1", loader: .app, assumed: program,
            os: "ios26")
        let finding = Finding(
            rule: .clientOutside, title: "Client that ATS does not govern", keyPath: nil, expected: "the app",
            observed: "the client is \(program.rawValue)", confidence: .inferred, source: "7.4")
        record.diagnosis = RecordedDiagnosis(findings: [finding], apple: nil, remedy: nil)
        record.status = 200
        return record
    }

    package static func filed(_ record: LoadRecord, id: String? = nil) -> LoadRecord {
        var record = record
        if let id { record.id = id }
        return record
    }

    /// Loads in the form in which gates file them: with ids, and in the order of their start.
    package static func inOrder(_ records: [LoadRecord]) -> [LoadRecord] {
        var time = Int64.min
        return records.enumerated().map { number, record in
            var record = filed(record, id: id(number))
            time = max(time, record.time)
            record.time = time
            return record
        }
    }

    /// An id in the format of gates, which increases with its number.
    ///
    /// - Parameter time: The creation time in milliseconds since 1970-01-01 UTC.
    package static func id(_ number: Int, madeAt time: Int64 = 1_770_091_506_000) -> String {
        LoadID(high: UInt64(time) << 16, low: UInt64(number)).description
    }

    private static var facts: HandshakeFacts {
        HandshakeFacts(
            version: .tls13, suite: CipherSuite(code: 0x1301, name: "TLS_AES_128_GCM_SHA256"), group: "X25519",
            alpn: nil, served: [], path: [], anchor: .system)
    }
}
