internal import ATSPolicy
internal import Records

/// The facts that a load shows about its device.
struct DeviceFacts {
    /// Without a port.
    let address: String
    let label: String?
    let system: String
    /// nil if the client's system was read from its agent, or if it sends none.
    let agent: String?
    /// True if its app trusts the gate's leaf, because the gate decrypted its request.
    let showsTrust: Bool
    /// True if the client refused the gate's own leaf.
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

    /// True if two loads show the same facts. Does not create a ``DeviceFacts``.
    static func isShared(by one: LoadRecord, _ other: LoadRecord) -> Bool {
        one.client.isSame(as: other.client)
            && one.load.target.scheme == other.load.target.scheme
            && (one.status == nil) == (other.status == nil)
            && one.load.wireProtocol == other.load.wireProtocol
            && one.diagnosis?.rule == other.diagnosis?.rule
    }
}
