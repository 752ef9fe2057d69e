import Records

/// The devices, by label and release, with the results of their loads.
struct DeviceList: Sendable {
    struct Device: Sendable {
        let label: String?
        /// The name of the emulated release.
        let os: String
        /// The evidence for the release; nil if it was given.
        let osEvidence: String?
        fileprivate(set) var counts: [Verdict: Int] = [:]

        var loads: Int { counts.values.reduce(0, +) }
        /// The label, then the release, as text.
        var name: String { [label, os].compactMap(\.self).joined(separator: ", ") }
    }

    /// In order of first use.
    private(set) var devices: [Device] = []

    mutating func add(_ client: RecordedClient, verdict: Verdict, loads: Int) {
        let place = devices.firstIndex { $0.label == client.label && $0.os == client.os } ?? devices.count
        if place == devices.count {
            devices.append(Device(label: client.label, os: client.os, osEvidence: client.osEvidence))
        }
        devices[place].counts[verdict, default: 0] += loads
    }
}
