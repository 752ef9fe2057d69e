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
    var client: String
    let label: String?
    let agent: String?
    let origin: String
    let verdict: Verdict
    /// The rule that decided.
    var rule: String?
    var device: Device

    /// The rule, if it decided against the load.
    var decidingRule: String? { verdict == .allowed ? nil : rule }
}

extension WitnessedLoad {
    /// Extracts the part from a load that is not stored yet; nil if the load was not witnessed.
    init?(_ record: LoadRecord) {
        guard let device = record.device, record.policy.mode == RecordingOverview.Mode.witness.rawValue else {
            return nil
        }
        self.init(
            client: record.client.host, label: record.client.label, agent: record.client.userAgent,
            origin: record.load.target.origin, verdict: record.verdict, rule: record.diagnosis?.rule?.rawValue,
            device: Device(outcome: device.outcome, how: device.how, confidence: device.confidence.rawValue))
    }

    /// Extracts the part from a decoded load; nil if the load was not witnessed.
    init?(_ load: DecodedRecord, verdict: Verdict) {
        guard let device = load.device else { return nil }
        self.init(load, verdict: verdict, device: Device(device))
    }

    /// Combines a decoded load with the given device's outcome; nil if the load was not witnessed.
    init?(_ load: DecodedRecord, verdict: Verdict, device: Device) {
        guard load.policy.mode == RecordingOverview.Mode.witness.rawValue,
            let scheme = LoadTarget.Scheme(rawValue: load.load.scheme)
        else { return nil }
        self.init(
            client: load.client.address.hostPart, label: load.client.label, agent: load.client.userAgent,
            origin: LoadTarget(scheme: scheme, host: load.load.host, port: load.load.port).origin, verdict: verdict,
            rule: load.findings.first?.rule, device: device)
    }
}

extension WitnessedLoad.Device {
    /// Reads a decoded record's outcome; one that this version does not know becomes unknown.
    init(_ device: DecodedObject<DeviceFields>) {
        self.init(
            outcome: RecordedDevice.Outcome(rawValue: device.outcome) ?? .unknown, how: device.how,
            confidence: device.confidence)
    }
}
