extension Declaration {
    /// Returns a note for each global key that a release ignores. Source: Apple, NSAppTransportSecurity; Security,
    /// SecProtocolConfiguration.m; docs/law/keys.md#global-keys, docs/law/rulings.md#siblings.
    func notesOnUnreadGlobals(by profile: OSProfile) -> [String] {
        guard !profile.keys.contains(.siblings) else { return [] }
        return [ATSKey.localNetworking, ATSKey.inWebContent, ATSKey.forMedia].filter { members.last($0) != nil }.map {
            "\($0) was introduced in iOS 10 and macOS 10.12, so \(profile.title) ignores it "
                + "(\(DocsSection.globalKeys))."
        }
    }
}

extension TLSDemands {
    /// Notes on requirements of rarely used keys.
    var notes: [String] {
        var notes: [String] = []
        if let niap {
            notes.append(
                "The NIAP package \(niap.rawValue) allows only ECDHE with AES-GCM in TLS 1.2, requires the "
                    + "extended master secret there, and rejects handshakes signed with rsa_pkcs1_sha1 "
                    + "(\(DocsSection.niapPackage))."
            )
        }
        if niap == .recommended {
            notes.append(
                "Apple does not define which package is recommended; \(NIAPPackage.fcp21.rawValue) is used (inferred)."
            )
        }
        if requiresCertificateTransparency {
            notes.append(
                "\(ATSKey.certificateTransparency) applies on iOS 10 to 18.3; the last release is inferred "
                    + "(\(DocsSection.entryKeys)).")
        }
        return notes
    }
}

extension OSProfile.Engine {
    /// The confidence of rulings unless a more specific one is known (docs/law/profiles.md#two-engines).
    var confidence: Confidence {
        switch self {
        case .classic: .documented
        case .modern: .source
        }
    }
}
