extension Declaration {
    /// Global keys that stand in the file but that a system does not know yet. Source: Apple, NSAppTransportSecurity;
    /// Security, SecProtocolConfiguration.m; docs/law/keys.md#global-keys, docs/law/rulings.md#siblings.
    func notesOnUnreadGlobals(by profile: OSProfile) -> [String] {
        guard !profile.keys.contains(.siblings) else { return [] }
        return [ATSKey.localNetworking, ATSKey.inWebContent, ATSKey.forMedia].filter { members.last($0) != nil }.map {
            "\($0) is not known before iOS 10 and macOS 10.12, so \(profile.title) does not look at it "
                + "(\(LawTopic.globalKeys))."
        }
    }
}

extension TLSDemands {
    /// What a reader should know about demands of the rarer keys.
    var notes: [String] {
        var notes: [String] = []
        if let niap {
            notes.append(
                "The NIAP package \(niap.rawValue) leaves only ECDHE with AES-GCM in TLS 1.2, which has to use the "
                    + "extended master secret, and refuses handshakes signed with rsa_pkcs1_sha1 "
                    + "(\(LawTopic.niapPackage))."
            )
        }
        if niap == .recommended {
            notes.append(
                "Which package Apple recommends is not fixed; it is taken for \(NIAPPackage.fcp21.rawValue) (inferred)."
            )
        }
        if requiresCertificateTransparency {
            notes.append(
                "\(ATSKey.certificateTransparency) counts on iOS 10 to 18.3; the end of that is inferred "
                    + "(\(LawTopic.entryKeys)).")
        }
        return notes
    }
}

extension OSProfile.Engine {
    /// What a statement about its rulings rests on where nothing more special is known
    /// (docs/law/profiles.md#two-engines).
    var confidence: Confidence {
        switch self {
        case .classic: .documented
        case .modern: .source
        }
    }
}
