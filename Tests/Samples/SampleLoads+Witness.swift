package import ATSPolicy
package import Records

/// Loads of witness mode.
extension SampleLoads {
    /// Loads of five origins and two devices; two of the origins are undecided.
    package static let witnessed: [LoadRecord] = inOrder([
        witnessedLoad("a.test", .allowed, .accepted, "application-data"),
        witnessedLoad("b.test", .allowed, .refused, "sealed-alert", confidence: .inferred),
        witnessedLoad("b.test", .allowed, .refused, "alert-48", client: "192.0.2.1:5001"),
        witnessedLoad("b.test", .wouldBlock, .unknown, "unused", agent: safari),
        witnessedLoad("b.test", .wouldBlock, .accepted, "application-data", agent: safari),
        witnessedLoad("c.test", .allowed, .unknown, "no-hello"),
        witnessedLoad("d.test", .outside, .accepted, "application-data"),
    ])

    private static let safari = "Mozilla/5.0 (X) Safari/605"

    /// - Parameter how: The evidence for the device's outcome.
    package static func witnessedLoad(
        _ host: String, _ verdict: Verdict, _ outcome: RecordedDevice.Outcome, _ how: String,
        confidence: Confidence = .observed, client: String = "192.0.2.1:5000", agent: String = "curl/8",
        mode: String = "witness"
    ) -> LoadRecord {
        var record = verdict == .wouldBlock ? forwardSecrecy(verdict: .wouldBlock) : plain()
        record.verdict = verdict
        record.load.target = LoadTarget(scheme: .https, host: host, port: 443)
        record.client = RecordedClient(address: client, label: nil, userAgent: agent, loader: .app, os: "ios26")
        record.policy = RecordedPolicy(source: nil, bundleID: nil, os: "ios26", basis: nil, mode: mode)
        record.device = RecordedDevice(outcome, how: how, confidence: confidence)
        return record
    }
}
