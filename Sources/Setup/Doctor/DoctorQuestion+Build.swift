extension DoctorQuestion.Traffic {
    /// Devices whose apps do not use the gate; nil if there are none. That a VPN, Private Relay or a filter is the
    /// reason is inferred: docs/setup.md#only-captiveapplecom.
    var apps: DoctorFinding? {
        guard let first = checkingDevices.first else { return nil }
        let more = checkingDevices.count - 1
        return .unknown(
            .apps,
            "from \(first)\(more > 0 ? " and \(more) more" : "") only checks of the connection arrive "
                + "(captive.apple.com), and no load of an app",
            fix: "on the device, turn off VPN (also Connect On Demand), iCloud Private Relay and content filters")
    }
}

extension DoctorQuestion.Build {
    /// The most frequent reason for failures on a device that the gate never recorded.
    var finding: DoctorFinding {
        switch self {
        case .relaxed: .well(.build, "the app on the device has ATS off: the gate sees every load")
        case .inForce(let host):
            .unknown(
                .build,
                "the app on the device has ATS on, for example for \(host): it refuses http and weak TLS before the "
                    + "gate is asked",
                fix: "to see such loads here, install a build with ATS relaxed: atsgate explain hellos")
        case .stricter(let host):
            .broken(
                .build,
                "the app on the device still has ATS on for \(host), where the dictionary relaxes it: it refuses "
                    + "loads before the gate is asked",
                fix: "install a build with ATS relaxed: atsgate explain hellos")
        }
    }
}
