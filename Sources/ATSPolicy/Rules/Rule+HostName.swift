import Text

extension RuleID {
    public static let hostName = RuleID("trust.host-name", .trust)
}

extension Rule {
    /// The certificate names the host of the URL. Source: Security, SecPolicyLeafCallbacks.c;
    /// docs/law/trust.md#host-name.
    static let hostName = Rule(
        .hostName, "Certificate for another host",
        source: "Security, SecPolicyLeafCallbacks.c; docs/law/trust.md#host-name",
        confidence: .source,
        consequence: .certificate(
            .trust, strict: .observedOnce, mirrored: .hostName, logged: "leaf SSLHostname",
            lax: { _ in StreamStatus(-9843, "errSSLHostNameMismatch", .observed) },
            remedy: { handshake, _ in nameRemedy(handshake) }),
        check: { handshake in
            guard let leaf = handshake.leaf else { return .notApplicable }
            guard leaf.hasSubjectAltName else {
                return handshake.profile.hasRequirementsOf2019 ? .notApplicable : commonName(of: leaf, handshake.host)
            }
            let acceptsText = !handshake.profile.hasRequirementsOf2019
            guard !HostName.matches(handshake.host, leaf, acceptsAddressText: acceptsText) else { return .pass }
            let names = leaf.dnsNames + leaf.ipAddresses
            var shown = names.prefix(namesShown).map(\.singleLine).joined(separator: ", ")
            let more = names.count + (leaf.unkeptNames ?? 0) - namesShown
            if more > 0 { shown += " and \(more) more" }
            return .fail(expected: "a subjectAltName for \(handshake.host)", observed: "a certificate for \(shown)")
        },
        examples: {
            [
                RuleExample("another name", .fail) { $0.host = "www.example.com" },
                RuleExample("the name", .pass),
                RuleExample("the name in capitals with a trailing dot", .pass) { $0.host = "API.example.com." },
                RuleExample("a wildcard for one label", .pass) { $0.changeLeaf { $0.dnsNames = ["*.example.com"] } },
                RuleExample("a wildcard and two labels", .fail) {
                    $0.host = "a.api.example.com"
                    $0.changeLeaf { $0.dnsNames = ["*.example.com"] }
                },
                RuleExample("an address written as a DNS name, on iOS 13", .fail) {
                    $0.host = "192.0.2.1"
                    $0.changeLeaf { $0.dnsNames = ["192.0.2.1"] }
                },
                RuleExample("the same on iOS 12", .pass) {
                    $0.profile = OSProfile.named("ios12") ?? .iOS10
                    $0.host = "192.0.2.1"
                    $0.changeLeaf { $0.dnsNames = ["192.0.2.1"] }
                },
                RuleExample("no subjectAltName at all", .notApplicable) { $0.changeLeaf { $0.dnsNames = [] } },
            ]
        })

    /// Before iOS 13 the common name counted if the certificate had no subjectAltName. Source: Apple support 103769;
    /// docs/law/trust.md#subject-alternative-name.
    private static func commonName(of leaf: CertificateFacts, _ host: String) -> RuleAnswer {
        guard !HostName.matches(host, commonNameOf: leaf) else { return .pass }
        return .fail(expected: "a certificate for \(host)", observed: "a certificate for \(leaf.displayName)")
    }

    /// The fix of both rules on names.
    static func nameRemedy(_ handshake: HandshakeCase) -> String {
        "Serve a certificate that lists \(handshake.host) in its subjectAltName."
    }

    /// The number of names that a finding lists.
    private static let namesShown = 4
}

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

extension CertificateFacts {
    /// The common name, or the whole subject if there is none, safe for one line of text.
    var displayName: String { (commonName ?? subject).singleLine }

    var quotedName: String { "“\(displayName)”" }

    /// The common name in the issuer's RFC 2253 text; nil if it has none.
    public var issuerCommonName: String? { DistinguishedName(issuer).commonName?.singleLine }
}

extension String {
    /// Text chosen by an origin, made safe for one log line: no control characters, bounded length.
    var singleLine: String {
        var text = ""
        for scalar in unicodeScalars.prefix(Self.longestForeignText) {
            let isControl = scalar.properties.generalCategory == .control || scalar.properties.isBidiControl
            text.unicodeScalars.append(isControl ? "?" : scalar)
        }
        return text
    }

    /// Unicode scalars; RFC 5280 allows 64 in a common name.
    private static var longestForeignText: Int { 128 }
}
