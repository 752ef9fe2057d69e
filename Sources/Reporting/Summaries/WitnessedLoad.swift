import ATSPolicy
import Records

/// The part of a witnessed load that ``DeviceAgreement`` needs: client, origin, prediction and the device's outcome.
struct WitnessedLoad: Sendable {
    /// The device's outcome, and the evidence for it.
    struct Device: Sendable, Hashable {
        let outcome: RecordedDevice.Outcome
        /// One of docs/witness.md#evidence.
        let how: String?
        let confidence: String
    }

    /// The address without its port.
    let client: String
    let label: String?
    let agent: String?
    let origin: String
    let verdict: Verdict
    /// The rule that decided.
    let rule: String?
    let device: Device

    /// The rule, if it decided against the load.
    var decidingRule: String? { verdict == .allowed ? nil : rule }
}

extension WitnessedLoad {
    /// Extracts the part from a load; nil if the load was not witnessed.
    init?(_ record: LoadRecord) {
        guard let device = record.device, record.policy.mode == RecordingOverview.Mode.witness.rawValue else {
            return nil
        }
        self.init(
            client: record.client.host, label: record.client.label, agent: record.client.userAgent,
            origin: record.load.target.origin, verdict: record.verdict, rule: record.diagnosis?.rule?.rawValue,
            device: Device(outcome: device.outcome, how: device.how, confidence: device.confidence.rawValue))
    }
}
