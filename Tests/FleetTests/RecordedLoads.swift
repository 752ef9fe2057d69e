import ATSPolicy
import Foundation
import Records

/// Loads of every kind that readers distinguish, the same in each run.
struct RecordedLoads {
    private var ids = RecordIDMaker(maker: 7)
    /// Milliseconds since 1970-01-01 UTC, shortly before midnight, so that a store has two days.
    private var time: Int64 = 1_770_076_790_000

    /// - Parameter number: The approximate number of loads of each kind.
    mutating func all(_ number: Int) -> [LoadRecord] {
        (0..<number * 4).map { place in
            switch place % 4 {
            case 0: load(place, "nightly", .allowed)
            case 1: load(place, "nightly", .blocked, label: place % 8 == 1 ? "Phone" : nil)
            case 2: load(place, "release", place % 12 == 2 ? .outside : .allowed)
            default: load(place, "release", .failed, host: "gone")
            }
        }
    }

    mutating func load(
        _ place: Int, _ recording: String, _ verdict: Verdict, host: String = "api", label: String? = nil
    ) -> LoadRecord {
        time += Int64(place % 7) * 61
        var record = LoadRecord(
            time: time, recording: recording,
            client: RecordedClient(
                address: "192.0.2.\(place % 3):50123", label: label, userAgent: "App/\(place % 2)", loader: .app,
                os: "ios26"),
            load: RecordedRequest(
                method: "GET", path: "/\(place % 5)\"?q=\(place)",
                target: LoadTarget(scheme: .https, host: "\(host)\(place % 3).lab.test", port: 443),
                wireProtocol: .http1),
            policy: RecordedPolicy(
                source: "App/Info.plist", bundleID: "test.lab.demo", os: "ios26",
                basis: RulingBasis(step: .secureDefault)),
            verdict: verdict)
        if verdict == .allowed || verdict == .blocked {
            record.origin = RecordedOrigin(
                address: "192.0.2.7:443",
                facts: HandshakeFacts(
                    version: place % 2 == 0 ? .tls13 : .tls12,
                    suite: CipherSuite(code: 0x1301, name: "TLS_AES_128_GCM_SHA256"), group: "X25519", alpn: nil,
                    served: [], path: [], anchor: .system))
        }
        record.status = verdict == .allowed ? 200 : nil
        if verdict != .allowed { record.diagnosis = diagnosis(verdict) }
        record.id = ids.next(time: time + 40)
        return record
    }

    private func diagnosis(_ verdict: Verdict) -> RecordedDiagnosis {
        let rule: RuleID = verdict == .failed ? .netRefused : verdict == .outside ? .clientOutside : .forwardSecrecy
        let finding = Finding(
            rule: rule, title: "What was found", keyPath: nil, expected: "something", observed: "something else",
            confidence: .observed, source: "4.3")
        return RecordedDiagnosis(findings: [finding], apple: nil, remedy: nil)
    }
}
