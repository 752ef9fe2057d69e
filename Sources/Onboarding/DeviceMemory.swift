internal import ProxyCore
public import Records
internal import Synchronization

/// The devices that were seen, by address, while the gate runs. Keeps a limited number.
public final class DeviceMemory: Sendable {
    private let known = Mutex<[String: Device]>([:])

    public init() {}

    /// The devices, the latest first.
    public var devices: [Device] {
        known.withLock { $0.values.sorted { ($1.last, $0.address) < ($0.last, $1.address) } }
    }

    /// Updates the devices that loads came from.
    public func note(_ records: [LoadRecord]) {
        guard var begin = records.first else { return }
        known.withLock { known in
            var time = begin.time
            for record in records.dropFirst() {
                // Most loads come from the same device as the one before, and show the same facts.
                if DeviceFacts.isShared(by: begin, record) {
                    time = max(time, record.time)
                } else {
                    Self.note(DeviceFacts(begin), at: time, in: &known)
                    (begin, time) = (record, record.time)
                }
            }
            Self.note(DeviceFacts(begin), at: time, in: &known)
        }
    }

    private static func note(_ sight: DeviceFacts, at time: Int64, in known: inout [String: Device]) {
        update(sight.address, in: &known) { device in
            device.label = sight.label ?? device.label
            device.noteLoad(by: sight.agent, judgedAs: sight.system)
            device.show(Light.allCases.filter { $0.isOn(in: sight) }, at: time)
            if let build = sight.build {
                device.build = build
                if build == .inForce { device.seen[.relaxed] = nil }
            }
            if sight.purpose == .connectivityCheck { device.hasChecked = true }
            if sight.isRefusedLeaf { device.refused = max(time, device.refused ?? 0) }
        }
    }

    /// Updates the device that visits the gate's own pages.
    ///
    /// - Parameters:
    ///   - fetches: true if it requests the certificate.
    ///   - isVisit: true if the request adds an unknown device; otherwise it only updates a known one.
    func note(_ request: OwnRequest, fetches: Bool = false, isVisit: Bool = true) {
        let system = DeviceSystem(userAgent: request.userAgent)
        let lights = Light.allCases.filter { $0.isOn(in: request) }
        known.withLock { known in
            guard isVisit || known[request.client] != nil else { return }
            Self.update(request.client, in: &known) { device in
                device.label = request.label ?? device.label
                if system != .other { device.system = system.title }
                device.show(lights, at: request.time * 1000)
                if fetches { device.fetched = request.time * 1000 }
            }
        }
    }

    func hasFetched(_ address: String) -> Bool { known.withLock { $0[address]?.fetched != nil } }

    /// The state of ATS in the app of a device's latest load; nil if it is not known.
    func build(on address: String) -> InstalledATS? { known.withLock { $0[address]?.build } }

    /// True if loads of apps arrived from a device, false if only checks of the connection did, nil if neither did.
    func apps(on address: String) -> Bool? {
        known.withLock { $0[address].flatMap { $0.seen[.apps] != nil ? true : $0.onlyChecks ? false : nil } }
    }

    private static func update(
        _ address: String, in known: inout [String: Device], _ change: (inout Device) -> Void
    ) {
        change(&known[address, default: Device(address: address)])
        // A gate has a handful of devices; of too many, the one that was silent for longest is dropped.
        guard known.count > limit, let oldest = known.values.min(by: { $0.last < $1.last }) else { return }
        known[oldest.address] = nil
    }

    private static let limit = 256
}
