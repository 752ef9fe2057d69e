extension OSProfile {
    /// Returns the ATS group of a release. Source: Security, SecProtocolInternal.h; docs/law/tls.md#suites; iOS 12 has
    /// the list of 13 (inferred).
    static func atsSuites(_ generation: OSVersion, newestTLS: TLSVersion) -> [CipherSuite] {
        let suites: [CipherSuite]
        switch generation {
        case ..<OSVersion(12): return ecdheGCM + ecdheCBCSHA2 + ecdheCBC
        case ..<OSVersion(15, 4): suites = ecdheGCMAndChaCha + ecdheCBCSHA2 + ecdheCBC
        default: suites = ecdheGCMAndChaCha + ecdheCBC
        }
        return newestTLS < .tls13 ? suites : tls13 + suites
    }

    /// Returns the suites that NSExceptionRequiresForwardSecrecy=NO adds. Source: Security, SecProtocolInternal.h;
    /// docs/law/tls.md#suites-without-forward-secrecy.
    static func staticRSASuites(_ generation: OSVersion) -> [CipherSuite] {
        generation < OSVersion(15, 4) ? rsaGCM + rsaCBCSHA2 + rsaCBC : rsaGCM + rsaCBC
    }

    /// Returns the profile with the CBC suites of SHA-256 and SHA-384 added or removed (C6).
    func offeringCBCSHA2(_ isOffered: Bool) -> OSProfile {
        var profile = self
        let ats = atsSuites.filter { !Self.ecdheCBCSHA2.contains($0) }
        let rsa = staticRSASuites.filter { !Self.rsaCBCSHA2.contains($0) }
        profile.atsSuites = isOffered ? Self.insert(Self.ecdheCBCSHA2, before: Self.ecdheCBC, in: ats) : ats
        profile.staticRSASuites = isOffered ? Self.insert(Self.rsaCBCSHA2, before: Self.rsaCBC, in: rsa) : rsa
        return profile
    }

    /// The profile with the lists of the documentation, which date from 2015: eleven suites of TLS 1.2, and six without
    /// forward secrecy. The suites of TLS 1.3, which is newer, stay (C6; docs/law/tls.md#suites).
    var offeringDocumentedSuites: OSProfile {
        var profile = self
        let old = Self.ecdheGCM + Self.ecdheCBCSHA2 + Self.ecdheCBC.filter { $0.code != Self.missingIn2015 }
        profile.atsSuites = (newestTLS < .tls13 ? [] : Self.tls13) + old
        profile.staticRSASuites = Self.rsaGCM + Self.rsaCBCSHA2 + Self.rsaCBC
        return profile
    }

    /// TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA.
    private static let missingIn2015: UInt16 = 0xC014

    private static func insert(
        _ suites: [CipherSuite], before tail: [CipherSuite], in list: [CipherSuite]
    ) -> [CipherSuite] {
        let place = list.firstIndex { $0 == tail.first } ?? list.endIndex
        return list[..<place] + suites + list[place...]
    }

    // In the order offered since iOS 14. The order among CBC suites, and before 14, is not published; it follows the
    // table in docs/law/tls.md#suites (inferred).

    private static let tls13 = [
        CipherSuite(code: 0x1301, name: "TLS_AES_128_GCM_SHA256"),
        CipherSuite(code: 0x1302, name: "TLS_AES_256_GCM_SHA384"),
        CipherSuite(code: 0x1303, name: "TLS_CHACHA20_POLY1305_SHA256"),
    ]
    private static let ecdheGCM = ecdheGCMAndChaCha.filter { $0.name.contains("_GCM_") }
    private static let ecdheGCMAndChaCha = [
        CipherSuite(code: 0xC02C, name: "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384"),
        CipherSuite(code: 0xC02B, name: "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256"),
        CipherSuite(code: 0xCCA9, name: "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256"),
        CipherSuite(code: 0xC030, name: "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384"),
        CipherSuite(code: 0xC02F, name: "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256"),
        CipherSuite(code: 0xCCA8, name: "TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256"),
    ]
    private static let ecdheCBCSHA2 = [
        CipherSuite(code: 0xC024, name: "TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA384"),
        CipherSuite(code: 0xC023, name: "TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA256"),
        CipherSuite(code: 0xC028, name: "TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA384"),
        CipherSuite(code: 0xC027, name: "TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA256"),
    ]
    private static let ecdheCBC = [
        CipherSuite(code: 0xC00A, name: "TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA"),
        CipherSuite(code: 0xC009, name: "TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA"),
        CipherSuite(code: 0xC014, name: "TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA"),
        CipherSuite(code: 0xC013, name: "TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA"),
    ]
    private static let rsaGCM = [
        CipherSuite(code: 0x009D, name: "TLS_RSA_WITH_AES_256_GCM_SHA384"),
        CipherSuite(code: 0x009C, name: "TLS_RSA_WITH_AES_128_GCM_SHA256"),
    ]
    private static let rsaCBCSHA2 = [
        CipherSuite(code: 0x003D, name: "TLS_RSA_WITH_AES_256_CBC_SHA256"),
        CipherSuite(code: 0x003C, name: "TLS_RSA_WITH_AES_128_CBC_SHA256"),
    ]
    private static let rsaCBC = [
        CipherSuite(code: 0x0035, name: "TLS_RSA_WITH_AES_256_CBC_SHA"),
        CipherSuite(code: 0x002F, name: "TLS_RSA_WITH_AES_128_CBC_SHA"),
    ]
}
