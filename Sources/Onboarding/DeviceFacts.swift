internal import ATSPolicy
internal import ProxyCore
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
    let purpose: AppleServices.Purpose
    /// The state of ATS in the app that made the load; nil if its hello does not show it.
    let build: InstalledATS?

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
        purpose = AppleServices.purpose(of: record.load.target.host)
        build = client.hello.flatMap { InstalledATS($0.reads) }
    }

    /// True if two loads show the same facts. Does not create a ``DeviceFacts``.
    static func isShared(by one: LoadRecord, _ other: LoadRecord) -> Bool {
        one.client.isSame(as: other.client)
            && one.load.target.scheme == other.load.target.scheme
            && (one.status == nil) == (other.status == nil)
            && one.load.wireProtocol == other.load.wireProtocol
            && hasSamePurpose(one.load.target.host, other.load.target.host)
            && one.diagnosis?.rule == other.diagnosis?.rule
            && one.client.hello?.reads == other.client.hello?.reads
    }

    private static func hasSamePurpose(_ one: String, _ other: String) -> Bool {
        one == other || AppleServices.purpose(of: one) == AppleServices.purpose(of: other)
    }
}

/// The state of ATS in the build that is installed on a device, by the hello of its latest load. Raw values are in the
/// page's API.
public enum InstalledATS: String, Sendable, Hashable {
    case relaxed
    case inForce = "in-force"

    /// nil if the hello does not show the state.
    init?(_ kind: HelloReading.Kind) {
        switch kind {
        case .ats, .niap: self = .inForce
        case .notInForce: self = .relaxed
        case .atsOrWeb, .other, .unknown: return nil
        }
    }
}
