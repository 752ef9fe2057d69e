import ATSPolicy
import Records

/// What ``DeviceAgreement`` needs of a load of witness mode: who asked for what, what the gate predicted, and what the
/// device did.
struct WitnessedLoad: Sendable {
    /// What the device did, and what tells it.
    struct Device: Sendable, Hashable {
        let outcome: RecordedDevice.Outcome
        /// One of docs/witness.md#what-tells-it.
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

    /// The rule, where it stands against the load.
    var decidingRule: String? { verdict == .allowed ? nil : rule }
}

extension WitnessedLoad {
    /// A load that is about to be filed; nil for one that was not witnessed.
    init?(_ record: LoadRecord) {
        guard let device = record.device, record.policy.mode == RecordingOverview.Mode.witness.rawValue else {
            return nil
        }
        self.init(
            client: record.client.host, label: record.client.label, agent: record.client.userAgent,
            origin: record.load.target.origin, verdict: record.verdict, rule: record.diagnosis?.rule?.rawValue,
            device: Device(outcome: device.outcome, how: device.how, confidence: device.confidence.rawValue))
    }

    /// One that was read back; nil for one that was not witnessed.
    init?(_ load: DecodedRecord, verdict: Verdict) {
        guard let device = load.device else { return nil }
        self.init(load, verdict: verdict, device: Device(device))
    }

    /// The same with another device; nil for one that was not witnessed.
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
    /// One that was read back: an outcome of another version is none that this one knows.
    init(_ device: DecodedObject<DeviceFields>) {
        self.init(
            outcome: RecordedDevice.Outcome(rawValue: device.outcome) ?? .unknown, how: device.how,
            confidence: device.confidence)
    }
}
