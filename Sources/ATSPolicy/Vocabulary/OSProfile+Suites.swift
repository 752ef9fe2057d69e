extension OSProfile {
    /// Returns the ATS group of a release, in its order. Source: Security, SecProtocolInternal.h; docs/law/tls.md#suites;
    /// iOS 12 has the list of 13 (inferred).
    static func atsSuites(_ generation: OSVersion, newestTLS: TLSVersion) -> [CipherSuite] {
        let order = generation < OSVersion(12) ? CipherSuite.orderBefore12 : CipherSuite.order(generation)
        let accepted = generation < OSVersion(15, 4) ? order : order.filter { !$0.isCBCSHA2 }
        let suites = generation < OSVersion(26, 2) ? accepted : accepted.sorted(by: CipherSuite.orderSince26_2)
        return newestTLS < .tls13 ? suites : CipherSuite.tls13(generation, isATS: true) + suites
    }

    /// Returns the suites that NSExceptionRequiresForwardSecrecy=NO adds. Source: Security, SecProtocolInternal.h;
    /// docs/law/tls.md#suites-without-forward-secrecy.
    static func staticRSASuites(_ generation: OSVersion) -> [CipherSuite] {
        generation < OSVersion(15, 4)
            ? CipherSuite.staticRSA : CipherSuite.staticRSA.filter { !$0.isCBCSHA2 }
    }

    /// Returns the suites of a load to which ATS does not apply, as ClientHellos of Safari and of media loads show them.
    /// Source: testssl/testssl.sh, etc/client-simulation.txt; refraction-networking/utls, u_parrots.go; developer forums
    /// 18625 for iOS 9; docs/law/tls.md#system-suites.
    static func systemSuites(_ generation: OSVersion, newestTLS: TLSVersion) -> [CipherSuite] {
        guard generation >= OSVersion(11) else {
            return CipherSuite.systemBefore11 + (generation < OSVersion(10) ? CipherSuite.rc4 : [])
        }
        let tls13 = newestTLS < .tls13 ? [] : CipherSuite.tls13(generation, isATS: false)
        let ecdhe = CipherSuite.order(generation).filter { !($0.isCBCSHA2 && generation >= OSVersion(15, 4)) }
        // Not seen on 11 to 12.0; seen on 12.1 in one list and on 12.2 in another.
        let tripleDES = generation < OSVersion(12, 1) ? [] : CipherSuite.tripleDES
        return tls13 + ecdhe + staticRSASuites(generation) + tripleDES
    }

    /// Returns the profile with the CBC suites of SHA-256 and SHA-384 added or removed (C6).
    func offeringCBCSHA2(_ isOffered: Bool) -> OSProfile {
        var profile = self
        profile.atsSuites.removeAll(where: \.isCBCSHA2)
        profile.staticRSASuites.removeAll(where: \.isCBCSHA2)
        profile.ownSystemSuites.removeAll(where: \.isCBCSHA2)
        guard isOffered else { return profile }
        profile.atsSuites = Self.insert(CipherSuite.ecdheCBCSHA2, before: CipherSuite.ecdheCBC, in: profile.atsSuites)
        profile.staticRSASuites = Self.insert(
            CipherSuite.staticRSA.filter(\.isCBCSHA2), before: CipherSuite.rsaCBC, in: profile.staticRSASuites)
        return profile
    }

    /// The profile with the lists of the documentation, which date from 2015: eleven suites of TLS 1.2, and six without
    /// forward secrecy. The suites of TLS 1.3, which is newer, stay (C6; docs/law/tls.md#suites).
    var offeringDocumentedSuites: OSProfile {
        var profile = self
        let tls13 = atsSuites.filter { $0.keyExchange == .tls13 }
        profile.atsSuites = tls13 + CipherSuite.documented
        profile.staticRSASuites = CipherSuite.staticRSA
        return profile
    }

    private static func insert(
        _ suites: [CipherSuite], before tail: [CipherSuite], in list: [CipherSuite]
    ) -> [CipherSuite] {
        let place = list.firstIndex { $0 == tail.first } ?? list.endIndex
        return list[..<place] + suites + list[place...]
    }
}
