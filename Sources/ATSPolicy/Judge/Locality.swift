import Text

/// The kind of host, derived from the host text of a URL. Source: Security, SecProtocolConfigurationTest.m;
/// docs/law/addresses.md#direct.
enum Locality: Int, CaseIterable {
    /// `.local`, `.local.`, or no dot at all (source).
    case localName
    /// A loopback or link-local address (source).
    case onLinkAddress
    /// Another address that the switches count as direct (inferred).
    case privateAddress
    case remoteName
    case remoteAddress

    /// True if the host counts as *direct*.
    var isLocal: Bool {
        switch self {
        case .localName, .onLinkAddress, .privateAddress: true
        case .remoteName, .remoteAddress: false
        }
    }

    var isAddress: Bool {
        switch self {
        case .onLinkAddress, .privateAddress, .remoteAddress: true
        case .localName, .remoteName: false
        }
    }

    /// - Parameters:
    ///   - address: the host as an address, if it is one.
    ///   - localNetworks: nil if nothing counts as local.
    ///   - takesLocalhostNames: true if `name.localhost` is local, too (C17).
    init(host: String, address: IPAddress?, localNetworks: [AddressBlock]?, takesLocalhostNames: Bool = false) {
        guard let address = address ?? Self.scopedAddress(host) else {
            let isLocal = Self.isLocalName(host) || (takesLocalhostNames && Self.isLocalhostName(host))
            self = localNetworks != nil && isLocal ? .localName : .remoteName
            return
        }
        guard let localNetworks, localNetworks.contains(where: { $0.contains(address) }) else {
            self = .remoteAddress
            return
        }
        self = JudgeSwitches.onLink.contains { $0.contains(address) } ? .onLinkAddress : .privateAddress
    }

    /// An address with a scope id (`fe80::1%en0`) still counts as an address here, although no CIDR key matches it
    /// (docs/law/addresses.md#address-keys).
    private static func scopedAddress(_ host: String) -> IPAddress? {
        guard let percent = host.utf8.firstIndex(of: UInt8(ascii: "%")) else { return nil }
        return IPAddress(host[..<percent])
    }

    /// A name below `localhost`. Source: RFC 6761 section 6.3.
    private static func isLocalhostName(_ host: String) -> Bool {
        let bytes = host.utf8.last == UInt8(ascii: ".") ? host.utf8.dropLast() : host.utf8[...]
        return bytes.suffix(10).elementsEqual(".localhost".utf8)
    }

    /// An empty name is not direct (source; docs/law/addresses.md#direct).
    private static func isLocalName(_ host: String) -> Bool {
        let bytes = host.utf8
        guard !bytes.isEmpty else { return false }
        guard bytes.contains(UInt8(ascii: ".")) else { return true }
        return bytes.suffix(6).elementsEqual(".local".utf8) || bytes.suffix(7).elementsEqual(".local.".utf8)
    }
}
