internal import ATSPolicy
internal import Records

/// What a load shows of the device that it came from.
struct DeviceSight: Equatable {
    /// Without a port.
    let address: String
    let label: String?
    let system: String
    /// The app behind it believes the gate's leaf, for its request came out of TLS.
    let showsTrust: Bool
    /// The client refused the gate's own leaf.
    let isRefusedLeaf: Bool

    /// - Parameter record: looked at where it is: a copy of each would cost more than that.
    init(_ record: UnsafePointer<LoadRecord>) {
        address = record.pointee.client.host
        label = record.pointee.client.label
        system = record.pointee.client.os
        showsTrust =
            record.pointee.load.target.scheme == .https && record.pointee.status != nil
            && record.pointee.load.wireProtocol != .tunnel
        isRefusedLeaf = record.pointee.diagnosis?.rule == .clientRejectedLeaf
    }
}
