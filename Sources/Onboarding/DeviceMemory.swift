internal import ATSPolicy
internal import ProxyCore
public import Records
internal import Synchronization

/// Which devices were seen, by address: a few, for as long as the gate runs.
public final class DeviceMemory: Sendable {
    private let known = Mutex<[String: Device]>([:])

    public init() {}

    /// Those that were seen, the latest first.
    public var devices: [Device] {
        known.withLock { $0.values.sorted { ($1.last, $0.address) < ($0.last, $1.address) } }
    }

    /// What loads show of the devices that they came from.
    public func note(_ records: [LoadRecord]) {
        known.withLock { known in
            records.withUnsafeBufferPointer { records in
                var previous: Sight?
                guard let first = records.baseAddress else { return }
                for record in first..<first + records.count {
                    let sight = Sight(record)
                    // Most loads come from the same device as the one before, and show the same.
                    if sight != previous { Self.note(record.pointee, in: &known) }
                    previous = sight
                }
            }
        }
    }

    /// What tells loads apart here, looked at where they are: a copy of each would cost more than that.
    private struct Sight: Equatable {
        let host: String
        let label: String?
        let system: String
        let showsTrust: Bool
        let isRefusedLeaf: Bool

        init(_ record: UnsafePointer<LoadRecord>) {
            host = record.pointee.client.host
            label = record.pointee.client.label
            system = record.pointee.client.os
            showsTrust =
                record.pointee.load.target.scheme == .https && record.pointee.status != nil
                && record.pointee.load.wireProtocol != .tunnel
            isRefusedLeaf = record.pointee.diagnosis?.rule == .clientRejectedLeaf
        }
    }

    private static func note(_ record: LoadRecord, in known: inout [String: Device]) {
        let lights = Light.allCases.filter { $0.isOn(in: record) }
        update(record.client.host, in: &known) { device in
            device.label = record.client.label ?? device.label
            device.profile = record.client.os
            device.show(lights, at: record.time)
            if record.isRefusedLeaf { device.refused = record.time }
        }
    }

    /// What a visit to the gate's own pages shows.
    ///
    /// - Parameter fetches: it asks for the certificate.
    func note(_ request: OwnRequest, fetches: Bool = false) {
        let system = DeviceSystem(userAgent: request.userAgent)
        let lights = Light.allCases.filter { $0.isOn(in: request) }
        known.withLock { known in
            Self.update(request.client, in: &known) { device in
                device.label = request.label ?? device.label
                if system != .other { device.system = system.title }
                device.show(lights, at: request.time * 1000)
                if fetches { device.fetched = request.time * 1000 }
            }
        }
    }

    func hasFetched(_ address: String) -> Bool { known.withLock { $0[address]?.fetched != nil } }

    private static func update(
        _ address: String, in known: inout [String: Device], _ change: (inout Device) -> Void
    ) {
        change(&known[address, default: Device(address: address)])
        // A gate has a handful of devices; of many addresses the longest silent one is given up.
        guard known.count > limit, let oldest = known.values.min(by: { $0.last < $1.last }) else { return }
        known[oldest.address] = nil
    }

    private static let limit = 256
}

extension LoadRecord {
    /// The app behind it believes the gate's leaf, for its request came out of TLS.
    var showsTrust: Bool { load.target.scheme == .https && status != nil && load.wireProtocol != .tunnel }

    /// The client refused the gate's own leaf.
    var isRefusedLeaf: Bool { diagnosis?.rule == .clientRejectedLeaf }
}
