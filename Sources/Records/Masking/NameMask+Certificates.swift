import ATSPolicy
import Text

extension NameMask {
    /// Returns a handshake with the names in its certificates masked.
    ///
    /// - Parameter host: the requested host.
    public func handshake(_ handshake: RecordedHandshake, of host: String) -> RecordedHandshake {
        var masked = handshake
        if let facts = handshake.facts {
            masked.facts?.served = facts.served.map { certificate($0, of: host) }
            masked.facts?.path = facts.path.map { certificate($0, of: host) }
        }
        // An answer that is not TLS may begin with anything.
        if hidesEveryHost, case .notTLS(let bytes) = handshake.failure {
            let beginning = Array("HTTP/".utf8)
            masked.failure = .notTLS(bytes.starts(with: beginning) ? beginning : [])
        }
        return masked
    }

    /// Returns a masked certificate. If all names are hidden, so are its serial number and digests.
    private func certificate(_ certificate: CertificateFacts, of host: String) -> CertificateFacts {
        var known = self.known(host: host, entry: nil)
        for name in certificate.dnsNames { known.add(name, self.host) }
        // Facts that no field of the record contains are masked below.
        var masked = CertificateFields.catalog.masked(certificate, by: self, known)
        masked.commonName = certificate.commonName.map { commonName($0, known) }
        masked.dnsNames = certificate.dnsNames.map(self.host)
        masked.ipAddresses = certificate.ipAddresses.map(self.host)
        return masked
    }

    func distinguishedName(_ name: String, _ known: KnownNames) -> String {
        DistinguishedName(name).attributes.map { attribute in
            guard !hidesAll || attribute.type != "C" else { return attribute.text }
            let masked = commonName(attribute.value, known)
            return masked == attribute.value ? attribute.text : attribute.head + masked + attribute.end
        }.joined()
    }

    /// Masks a host, or a name of people or things.
    func commonName(_ name: String, _ known: KnownNames) -> String {
        let isHost = HostGrammar.isValidHost(name.hasPrefix("*.") ? String(name.dropFirst(2)) : name)
        if isHost, name.contains(".") || !hidesEveryHost { return host(name) }
        guard !name.isEmpty else { return name }
        return hidesAll ? token("n", name) : sentence(name, known)
    }

    /// Masks the Base64 of a 32-byte digest, as in `SPKI-SHA256-BASE64`.
    func pin(_ pin: String) -> String {
        guard hidesAll, !pin.isEmpty else { return pin }
        // The last two bits of the 43rd digit are padding (RFC 4648 section 3.5).
        return key.base64Digits(42, of: pin) + "A="
    }
}
