import ATSPolicy
import Text

extension NameMask {
    /// Returns the names that loads of a host contain.
    func known(host: String, entry: String?) -> KnownNames {
        var known = KnownNames()
        known.add(host, self.host)
        known.add(entry, self.entry)
        return known
    }

    /// Adds the names of certificates.
    func learn(_ certificates: [CertificateFacts], _ known: inout KnownNames) {
        for certificate in certificates {
            for name in certificate.dnsNames { learn(name, &known) { self.host($0) } }
            learn(distinguishedName: certificate.subject, &known)
            learn(distinguishedName: certificate.issuer, &known)
            learn(certificate.commonName ?? "", &known) { [known] in commonName($0, known) }
        }
    }

    /// Adds a distinguished name, and each of its values as they occur in sentences.
    func learn(distinguishedName name: String, _ known: inout KnownNames) {
        learn(name, &known) { [known] in distinguishedName($0, known) }
        for value in DistinguishedName(name).attributes.map(\.value) where value.utf8.count > 2 {
            learn(value, &known) { [known] in commonName($0, known) }
        }
    }

    /// Adds a name unless masking a sentence finds it without help, as it does for most.
    private func learn(_ name: String, _ known: inout KnownNames, _ mask: (String) -> String) {
        if sentence(name, known) != mask(name) { known.add(name, mask) }
    }

    /// Returns `known` with the path of a load added. nil if paths stay, or if the path contains no character that
    /// would end it in a sentence.
    ///
    /// - Parameter url: the load's URL, or the part after its origin.
    func known(_ known: KnownNames, withPathOf url: String) -> KnownNames? {
        guard hidesPaths else { return nil }
        let authority = url.hasPrefix("/") ? nil : url.firstRange(of: "://")?.upperBound
        let bare = String(url[(authority ?? url.startIndex)...].drop { $0 != "/" }.prefix { $0 != "?" && $0 != "#" })
        guard bare.contains(where: { Self.isAround($0) || "{}".contains($0) }) else { return nil }
        var known = known
        known.add(bare, self.path)
        return known
    }
}
