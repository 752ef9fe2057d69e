import ATSPolicy
import Records

/// Compares the ruling in the device's log with the gate's.
///
/// Only `tls` has an observed meaning: the lowest version, in SecureTransport's numbering. The other numbers are read
/// as described in docs/evidence.md, and their rows state that this is inferred.
struct RulingComparison {
    private(set) var rows: [LoadComparison.Row] = []

    private let demands: TLSDemands?

    init(_ device: RecordedDevice, _ gate: GatePrediction) {
        demands = gate.demands
        compareTrust(device)
        guard let ruling = device.ruling else { return }
        if let number = ruling.tls { compareVersion(number) }
        compare(.forwardSecrecy, ruling.ciphers, demands?.forwardSecrecy == true, "required", "not required")
        compare(
            .transparency, ruling.ct, demands?.requiresCertificateTransparency == true, "required", "not required")
        compareEntry(ruling, gate.basis)
    }

    private mutating func compareTrust(_ device: RecordedDevice) {
        let isStrict = demands?.strictTrust == true
        if let strength = device.ruling?.strength {
            compare(.strictness, strength, isStrict, "strict", "lax")
        } else if device.systemTrust != nil {
            compare(.strictness, 1, isStrict, "strict", "lax")
        }
    }

    /// A field other than 0 is a requirement.
    private mutating func compare(
        _ field: LoadComparison.Field, _ number: Int?, _ gate: Bool, _ asked: String, _ free: String
    ) {
        guard let number else { return }
        let device = number != 0
        rows.append(
            LoadComparison.Row(
                field: field, answer: device == gate ? .agree : gate ? .stricter : .laxer,
                device: device ? asked : free, gate: gate ? asked : free, why: Self.inferred))
    }

    private mutating func compareVersion(_ number: Int) {
        guard let device = Self.versions[number] else {
            rows.append(
                LoadComparison.Row(
                    field: .minimumTLS, answer: .unknown, device: "number \(number)", gate: "not compared",
                    why: "the meaning of this number is not known"))
            return
        }
        // Rulings contain the number of TLS 1.0 if ATS has no requirements.
        let gate = demands?.minimumTLS ?? .tls10
        rows.append(
            LoadComparison.Row(
                field: .minimumTLS, answer: device == gate ? .agree : gate > device ? .stricter : .laxer,
                device: device.name, gate: gate.name, why: nil))
    }

    private mutating func compareEntry(_ ruling: DeviceRuling, _ basis: RulingBasis) {
        let device: String? = ruling.builtin == 1 ? "built-in" : ruling.bundle == 1 ? "the app's" : nil
        guard let device else { return }
        let hasKey = basis.entry != nil || basis.keyPath != nil
        let gate = basis.isBuiltIn ? "built-in" : hasKey ? "the app's" : "none"
        rows.append(
            LoadComparison.Row(
                field: .entry, answer: device == gate ? .agree : .otherEntry, device: device, gate: gate,
                why: Self.inferred))
    }

    private static let inferred = "the meaning of the device's number is inferred"
    /// SecureTransport's version numbers. Source: Apple, SecureTransport.h (SSLProtocol).
    private static let versions: [Int: TLSVersion] = [4: .tls10, 7: .tls11, 8: .tls12, 10: .tls13]
}
