import ATSPolicy
import Text

/// Describes a chain as served, leaf first, and marks where it is broken.
enum ChainWords {
    /// For example `“a.test” > “Example CA 1” > “Example Root” (trusted)`; nil if there is no certificate.
    static func words(_ facts: HandshakeFacts) -> String? {
        guard let last = facts.served.last else { return nil }
        var links: [String] = []
        var issuer: String?
        for certificate in facts.served {
            if let issuer, issuer != certificate.subject { links.append(gap(issuer)) }
            links.append(name(certificate.subject))
            issuer = certificate.issuer
        }
        let isRoot = last.issuer == last.subject
        switch facts.anchor {
        case .system, .user:
            links.append(isRoot ? links.removeLast() + " (trusted)" : name(last.issuer) + " (trusted)")
        case .unknownRoot:
            links.append(isRoot ? links.removeLast() + " (not trusted)" : name(last.issuer) + " (not trusted)")
        case .selfSignedLeaf: links.append(links.removeLast() + " (self-signed)")
        case .incomplete: if !isRoot { links.append(gap(last.issuer)) }
        case .broken: links.append("[a signature does not match]")
        }
        return links.joined(separator: " > ")
    }

    private static func gap(_ issuer: String) -> String { "[missing: \(name(issuer))]" }

    /// - Parameter subject: in the notation of RFC 2253; shortened to its common name if it has one.
    private static func name(_ subject: String) -> String {
        "“\(DistinguishedName(subject).commonName ?? subject)”"
    }
}
