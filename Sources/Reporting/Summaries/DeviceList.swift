import Records

/// Who asked: each label and system once, with how its loads ended.
struct DeviceList: Sendable {
    struct Device: Sendable {
        let label: String?
        /// Name of the emulated system.
        let os: String
        /// What the system was guessed by; nil where it was named.
        let osEvidence: String?
        fileprivate(set) var counts: [Verdict: Int] = [:]

        var loads: Int { counts.values.reduce(0, +) }
        /// For people: the label, then the system.
        var name: String { [label, os].compactMap(\.self).joined(separator: ", ") }
    }

    /// In the order met.
    private(set) var devices: [Device] = []

    mutating func add(_ client: DecodedObject<ClientFields>, verdict: Verdict, loads: Int) {
        let place = devices.firstIndex { $0.label == client.label && $0.os == client.os } ?? devices.count
        if place == devices.count {
            devices.append(Device(label: client.label, os: client.os, osEvidence: client.osEvidence))
        }
        devices[place].counts[verdict, default: 0] += loads
    }
}
