import ATSPolicy

/// The faulty origin of a report, as the gate would see it under a permit.
struct ReportedOrigin {
    /// Words separated by spaces: how the handshake ends, or the faults it shows.
    let text: String
    let permit: ConnectPermit
    let profile: OSProfile
    let overridesTrust: Bool

    struct Unknown: Error {
        let word: String
    }

    /// The failure of a load from this origin; nil if the load is allowed.
    func failure() throws -> LoadFailure? {
        var handshake = RuleCases.good(profile)
        handshake.host = permit.target.host
        handshake.demands = permit.demands
        handshake.basis = permit.basis
        let offer = permit.offer ?? RuleCases.offer(profile)
        name(&handshake, handshake.host)
        for word in text.split(separator: " ").map(String.init) {
            if let failure = try end(word, offer) { return failure }
            try change(&handshake, word)
        }
        let verdict = RuleBook.standard.judge(handshake)
        return overridesTrust ? AppTrust(override: .everywhere).judge(verdict, of: handshake).failure : verdict.failure
    }

    /// The failure before, or instead of, a handshake that can be judged.
    private func end(_ word: String, _ offer: TLSOffer) throws -> LoadFailure? {
        switch word {
        case "closed": return .handshake(.closed(reset: false), rule: nil)
        case "no-http": return .malformedAnswer
        case "no-name": return .network(.name(code: 0))
        case "tls1.0" where offer.minimum > .tls10: return .handshake(.versionNotOffered, rule: .tlsVersion)
        case "tls1.0-alert70" where offer.minimum > .tls10: return .handshake(.alertReceived(70), rule: .tlsVersion)
        case "rsa-kx" where !offer.suites.contains { $0.code == RuleCases.staticRSA.code }:
            return .handshake(.alertReceived(40), rule: .forwardSecrecy)
        case let word where word.hasPrefix("alert"):
            return .handshake(.alertReceived(try number(word, "alert")), rule: nil)
        case let word where word.hasPrefix("certificate-alert"):
            let alert = try number(word, "certificate-alert")
            return .lost(LostConnection(.alert(alert), clientCertificate: .sent, answerBegan: false))
        default: return nil
        }
    }

    private func change(_ handshake: inout HandshakeCase, _ word: String) throws {
        switch word {
        case "good": break
        case "tls1.3":
            handshake.facts.version = .tls13
            handshake.facts.suite = CipherSuite(code: 0x1301, name: "TLS_AES_128_GCM_SHA256")
        case "tls1.0", "tls1.0-alert70":
            handshake.facts.version = .tls10
            handshake.facts.suite = RuleCases.oldECDHE
        case "rsa-kx": handshake.facts.suite = RuleCases.staticRSA
        case "self-signed":
            RuleCases.selfSigned(&handshake)
            name(&handshake, handshake.host)
        case "untrusted-root": handshake.facts.anchor = .unknownRoot
        case "user-root": handshake.facts.anchor = .user
        case "incomplete-chain":
            handshake.facts.anchor = .incomplete
            handshake.facts.path = Array(handshake.facts.path.prefix(1))
        case let word where word.hasPrefix("days"):
            let days = Int64(word.dropFirst(4)) ?? 0
            handshake.facts.path[0].notBefore = handshake.now - 86_400
            handshake.facts.path[0].notAfter = handshake.now + (days - 1) * 86_400
        case "expired": handshake.facts.path[0].notAfter = handshake.now - 1
        case "host-name": name(&handshake, "other.example.net")
        case "sha1": weaken(&handshake, 0)
        case "sha1-issuer": weaken(&handshake, 1)
        default: throw Unknown(word: word)
        }
    }

    private func name(_ handshake: inout HandshakeCase, _ host: String) {
        let isAddress = LoadTarget(scheme: .https, host: host, port: 443).address != nil
        handshake.facts.path[0].dnsNames = isAddress ? [] : [host]
        handshake.facts.path[0].ipAddresses = isAddress ? [host] : []
    }

    private func weaken(_ handshake: inout HandshakeCase, _ index: Int) {
        handshake.facts.path[index].signature = "sha1WithRSAEncryption"
        handshake.facts.path[index].signatureHashBits = 160
    }

    private func number(_ word: String, _ prefix: String) throws -> UInt8 {
        guard let number = UInt8(word.dropFirst(prefix.count)) else { throw Unknown(word: word) }
        return number
    }
}
