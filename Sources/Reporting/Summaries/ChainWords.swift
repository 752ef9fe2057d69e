import Records
import Text

/// A chain as it was served, leaf first, with the place where it does not hold.
enum ChainWords {
    /// For example `“a.test” > “Example CA 1” > “Example Root” (believed)`; nil where no certificate was seen.
    static func words(_ origin: DecodedObject<OriginFields>) -> String? {
        guard let last = origin.chain.last else { return nil }
        var links: [String] = []
        var issuer: String?
        for certificate in origin.chain {
            if let issuer, issuer != certificate.subject { links.append(gap(issuer)) }
            links.append(name(certificate.subject))
            issuer = certificate.issuer
        }
        let isRoot = last.issuer == last.subject
        switch origin.trust {
        case "system", "user":
            links.append(isRoot ? links.removeLast() + " (believed)" : name(last.issuer) + " (believed)")
        case "unknown-root":
            links.append(isRoot ? links.removeLast() + " (not believed)" : name(last.issuer) + " (not believed)")
        case "self-signed-leaf": links.append(links.removeLast() + " (signed itself)")
        case "incomplete" where !isRoot: links.append(gap(last.issuer))
        case "broken": links.append("[a signature does not fit]")
        default: break
        }
        return links.joined(separator: " > ")
    }

    private static func gap(_ issuer: String) -> String { "[gap: \(name(issuer)) is missing]" }

    /// - Parameter subject: as RFC 2253 writes it; its common name stands for the whole where it has one.
    private static func name(_ subject: String) -> String {
        "“\(DistinguishedName(subject).commonName ?? subject)”"
    }
}
