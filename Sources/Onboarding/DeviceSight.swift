internal import ATSPolicy
internal import Records

/// What a load shows of the device that it came from.
struct DeviceSight {
    /// Without a port.
    let address: String
    let label: String?
    let system: String
    /// nil where the client's system was read from its agent, or it sends none.
    let agent: String?
    /// The app behind it believes the gate's leaf, for its request came out of TLS.
    let showsTrust: Bool
    /// The client refused the gate's own leaf.
    let isRefusedLeaf: Bool

    /// - Parameter record: looked at where it is: a copy of each would cost more than that.
    init(_ record: UnsafePointer<LoadRecord>) {
        address = record.pointee.client.host
        label = record.pointee.client.label
        let client = record.pointee.client
        system = client.os
        agent = client.osEvidence == nil ? client.userAgent : nil
        showsTrust =
            record.pointee.load.target.scheme == .https && record.pointee.status != nil
            && record.pointee.load.wireProtocol != .tunnel
        isRefusedLeaf = record.pointee.diagnosis?.rule == .clientRejectedLeaf
    }

    /// Whether two loads show the same, told with no sight made of either.
    static func isShared(by one: UnsafePointer<LoadRecord>, _ other: UnsafePointer<LoadRecord>) -> Bool {
        one.pointee.client.isAlike(other.pointee.client)
            && one.pointee.load.target.scheme == other.pointee.load.target.scheme
            && (one.pointee.status == nil) == (other.pointee.status == nil)
            && one.pointee.load.wireProtocol == other.pointee.load.wireProtocol
            && one.pointee.diagnosis?.rule == other.pointee.diagnosis?.rule
    }
}

extension RecordedClient {
    fileprivate func isAlike(_ other: RecordedClient) -> Bool {
        self === other || (host == other.host && label == other.label && os == other.os && userAgent == other.userAgent)
    }
}
