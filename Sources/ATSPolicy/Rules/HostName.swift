import Text

/// Matches host names against the names in a certificate. Source: Security, SecPolicyLeafCallbacks.c;
/// docs/law/trust.md#host-name.
public enum HostName {
    /// - Parameters:
    ///   - host: host of a URL; one trailing dot is ignored (C12).
    ///   - acceptsAddressText: true if an address written as a dNSName counts; up to iOS 12 an IPv4 address passed for a
    ///     DNS name, from 13 on its last label must have a letter. Source: Security, SecCertificate.c, isDNSName up to
    ///     58286, SecFrameworkIsDNSName from 59306 on; docs/law/trust.md#host-name.
    static func matches(_ host: String, _ certificate: CertificateFacts, acceptsAddressText: Bool) -> Bool {
        let reference = host.utf8.last == UInt8(ascii: ".") ? host.dropLast() : host[...]
        guard !reference.isEmpty else { return false }
        if let address = IPAddress(host: String(reference)) {
            if certificate.ipAddresses.contains(where: { IPAddress($0) == address }) { return true }
            // A colon is in no DNS name.
            return acceptsAddressText
                && certificate.dnsNames.contains { !$0.contains(":") && IPAddress($0) == address }
        }
        return certificate.dnsNames.contains { matches(reference.utf8, pattern: $0.utf8[...]) }
    }

    /// Returns the first of `names` that matches a host; names may be addresses.
    public static func name(for host: String, among names: [String]) -> String? {
        let reference = host.utf8.last == UInt8(ascii: ".") ? host.dropLast() : host[...]
        guard !reference.isEmpty else { return nil }
        if let address = IPAddress(host: String(reference)) { return names.first { IPAddress($0) == address } }
        return names.first { matches(reference.utf8, pattern: $0.utf8[...]) }
    }

    /// Matches a host against the common name of a certificate without a subjectAltName.
    static func matches(_ host: String, commonNameOf certificate: CertificateFacts) -> Bool {
        guard let name = certificate.commonName else { return false }
        var renamed = CertificateFacts()
        renamed.dnsNames = [name]
        return matches(host, renamed, acceptsAddressText: true)
    }

    /// A wildcard matches exactly one leftmost label, and never directly below a single-label top-level domain.
    private static func matches(_ name: Substring.UTF8View, pattern: Substring.UTF8View) -> Bool {
        guard pattern.starts(with: [star, dot]) else { return equal(name, pattern) }
        let parent = pattern.dropFirst(2)
        guard parent.dropFirst().contains(dot), let end = name.firstIndex(of: dot), end > name.startIndex else {
            return false
        }
        return equal(name[name.index(after: end)...], parent)
    }

    /// Host names are ASCII; only A to Z are compared without case (RFC 4343).
    private static func equal(_ left: Substring.UTF8View, _ right: Substring.UTF8View) -> Bool {
        left.elementsEqual(right) { $0.asciiLowered == $1.asciiLowered }
    }

    private static let star = UInt8(ascii: "*")
    private static let dot = UInt8(ascii: ".")
}
