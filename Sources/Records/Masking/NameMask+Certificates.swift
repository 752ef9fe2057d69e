import ATSPolicy
import Text

extension NameMask {
    /// What a handshake showed, with the names in its certificates masked.
    public func handshake(_ handshake: RecordedHandshake) -> RecordedHandshake {
        guard var facts = handshake.facts else { return handshake }
        facts.served = facts.served.map(certificate)
        facts.path = facts.path.map(certificate)
        return RecordedHandshake(facts: facts, failure: handshake.failure, offer: handshake.offer)
    }

    /// A certificate; where all is hidden also what it can be found by.
    func certificate(_ certificate: CertificateFacts) -> CertificateFacts {
        var masked = certificate
        masked.subject = distinguishedName(certificate.subject)
        masked.issuer = distinguishedName(certificate.issuer)
        masked.commonName = certificate.commonName.map(commonName)
        masked.dnsNames = certificate.dnsNames.map(host)
        masked.ipAddresses = certificate.ipAddresses.map(host)
        guard hidesAll else { return masked }
        masked.serial = hexadecimal(certificate.serial)
        masked.sha256 = hexadecimal(certificate.sha256)
        masked.spkiSHA256 = pin(certificate.spkiSHA256)
        return masked
    }

    /// RFC 2253 text, in which a backslash takes the meaning of what follows it.
    func distinguishedName(_ name: String) -> String {
        attributes(of: name).map { key, value, end in
            key + (hidesAll && key == "C=" ? value : commonName(value)) + end
        }.joined()
    }

    /// The values of a distinguished name.
    func values(of name: String) -> [String] { attributes(of: name).map(\.value) }

    private func attributes(of name: String) -> [(key: String, value: String, end: String)] {
        var attributes: [(key: String, value: String, end: String)] = []
        var (key, value) = ("", "")
        var isEscaped = false
        for character in name {
            if isEscaped {
                isEscaped = false
            } else if character == "\\" {
                isEscaped = true
            } else if character == "=", key.isEmpty {
                (key, value) = (value + "=", "")
                continue
            } else if character == "," || character == "+" {
                attributes.append((key, value, String(character)))
                (key, value) = ("", "")
                continue
            }
            value.append(character)
        }
        attributes.append((key, value, ""))
        return attributes
    }

    /// A host, or a name of people or things.
    func commonName(_ name: String) -> String {
        let isHost = HostGrammar.isValidHost(name.hasPrefix("*.") ? String(name.dropFirst(2)) : name)
        if isHost, name.contains(".") || !hidesEveryHost { return host(name) }
        return hidesAll && !name.isEmpty ? token("n", name) : name
    }

    /// Base64 of a digest of 32 bytes, as `SPKI-SHA256-BASE64` has it.
    func pin(_ pin: String) -> String {
        guard hidesAll, !pin.isEmpty else { return pin }
        // The last two bits of the 43rd digit are padding (RFC 4648 section 3.5).
        return base64Digits(42, of: pin) + "A="
    }
}
