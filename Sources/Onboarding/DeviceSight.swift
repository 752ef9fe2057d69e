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

    init(_ record: LoadRecord) {
        let client = record.client
        address = client.host
        label = client.label
        system = client.os
        agent = client.osEvidence == nil ? client.userAgent : nil
        showsTrust =
            record.load.target.scheme == .https && record.status != nil
            && record.load.wireProtocol != .tunnel
        isRefusedLeaf = record.diagnosis?.rule == .clientRejectedLeaf
    }

    /// Whether two loads show the same, told with no sight made of either.
    static func isShared(by one: LoadRecord, _ other: LoadRecord) -> Bool {
        one.client.isSame(as: other.client)
            && one.load.target.scheme == other.load.target.scheme
            && (one.status == nil) == (other.status == nil)
            && one.load.wireProtocol == other.load.wireProtocol
            && one.diagnosis?.rule == other.diagnosis?.rule
    }
}
