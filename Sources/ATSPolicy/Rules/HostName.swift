import Text

/// Whether a certificate names a host. Source: Security, SecPolicyLeafCallbacks.c; docs/law/trust.md#host-name.
public enum HostName {
    /// - Parameter host: host text of a URL, of which one trailing dot does not count (C12).
    static func matches(_ host: String, _ certificate: CertificateFacts) -> Bool {
        let reference = host.utf8.last == UInt8(ascii: ".") ? host.dropLast() : host[...]
        guard !reference.isEmpty else { return false }
        if let address = IPAddress(host: String(reference)) {
            // An address written into a dNSName is tolerated; wildcards never mean addresses.
            return certificate.ipAddresses.contains { IPAddress($0) == address }
                || certificate.dnsNames.contains { IPAddress($0) == address }
        }
        return certificate.dnsNames.contains { matches(reference.utf8, pattern: $0.utf8[...]) }
    }

    /// The first of `names`, which may be addresses, that is for a host.
    public static func name(for host: String, among names: [String]) -> String? {
        let reference = host.utf8.last == UInt8(ascii: ".") ? host.dropLast() : host[...]
        guard !reference.isEmpty else { return nil }
        if let address = IPAddress(host: String(reference)) { return names.first { IPAddress($0) == address } }
        return names.first { matches(reference.utf8, pattern: $0.utf8[...]) }
    }

    /// The same for a certificate of old, which has its name only as common name.
    static func matches(_ host: String, commonNameOf certificate: CertificateFacts) -> Bool {
        guard let name = certificate.commonName else { return false }
        var renamed = CertificateFacts()
        renamed.dnsNames = [name]
        return matches(host, renamed)
    }

    /// A wildcard stands for one whole leftmost label, and not directly above a single-label top-level domain.
    private static func matches(_ name: Substring.UTF8View, pattern: Substring.UTF8View) -> Bool {
        guard pattern.starts(with: [star, dot]) else { return equal(name, pattern) }
        let parent = pattern.dropFirst(2)
        guard parent.dropFirst().contains(dot), let end = name.firstIndex(of: dot), end > name.startIndex else {
            return false
        }
        return equal(name[name.index(after: end)...], parent)
    }

    /// Host names are ASCII; only its capitals fold (RFC 4343).
    private static func equal(_ left: Substring.UTF8View, _ right: Substring.UTF8View) -> Bool {
        left.elementsEqual(right) { $0.asciiLowered == $1.asciiLowered }
    }

    private static let star = UInt8(ascii: "*")
    private static let dot = UInt8(ascii: ".")
}
