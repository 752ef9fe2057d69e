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
