package import ATSPolicy
package import Records
package import Seeded

extension SeededGenerator {
    /// Random facts of a handshake, likely or not.
    package mutating func facts() -> HandshakeFacts {
        let chain = several { $0.certificate() }
        var facts = HandshakeFacts(
            version: one(of: TLSVersion.allCases),
            suite: CipherSuite(code: UInt16(number(0...65_535)), name: text()), group: maybe { $0.text() },
            alpn: maybe { $0.text() }, served: chain, path: chain + several { $0.certificate() },
            anchor: one(of: [.system, .user, .selfSignedLeaf, .unknownRoot, .incomplete, .broken]),
            scts: SCTCounts(embedded: Int(number(0...4)), handshake: Int(number(0...4)), stapled: Int(number(0...4))))
        facts.groupLeftOut = maybe { _ in HelloShape.hybridGroupName }
        facts.usesExtendedMasterSecret = maybe { $0.hits(oneIn: 2) }
        facts.signature = maybe {
            HandshakeSignature(
                $0.one(of: [.rsaPKCS1, .rsaPSS, .ecdsa, .dsa, .eddsa, .other]),
                hashBits: $0.maybe { Int($0.number(160...512)) })
        }
        facts.sctReview = maybe { $0.review() }
        facts.staple = maybe { $0.staple() }
        facts.clientCertificate = maybe { $0.one(of: [.asked, .sent]) }
        facts.faults = several { $0.fault() }
        facts.otherPaths = several { generator in
            CertificatePath(
                generator.several { $0.certificate() }, anchor: generator.one(of: [.system, .user]),
                faults: generator.several { $0.fault() })
        }
        return facts
    }

    private mutating func fault() -> PathFault {
        PathFault(one(of: PathFault.Kind.allCases), at: Int(number(0...4)))
    }

    private mutating func certificate() -> CertificateFacts {
        var certificate = CertificateFacts()
        certificate.subject = text()
        certificate.issuer = text()
        certificate.commonName = maybe { $0.text() }
        certificate.serial = text()
        certificate.keyType = one(of: [.rsa, .ec, .ed25519, .ed448, .dsa, .other])
        certificate.keyBits = Int(number(0...8192))
        certificate.signature = text()
        certificate.signatureHashBits = maybe { Int($0.number(0...512)) }
        certificate.notBefore = number(0...4_000_000_000)
        certificate.notAfter = number(0...253_402_300_799)
        certificate.sha256 = text()
        certificate.spkiSHA256 = text()
        certificate.dnsNames = texts()
        certificate.ipAddresses = texts()
        certificate.allowsServerAuth = maybe { $0.hits(oneIn: 2) }
        certificate.isCA = hits(oneIn: 2)
        certificate.isSelfIssued = hits(oneIn: 2)
        return certificate
    }

    private mutating func review() -> SCTReview {
        SCTReview(
            counted: several {
                CountedSCT(
                    source: $0.one(of: [.embedded, .handshake, .stapled]), time: $0.number(0...4_000_000_000),
                    operatorName: $0.maybe { $0.text() }, retirement: $0.maybe { $0.number(0...4_000_000_000) },
                    isTiled: $0.hits(oneIn: 2))
            }, refused: several { $0.one(of: SCTRefusal.allCases) }, listTime: maybe { $0.number(0...4_000_000_000) })
    }

    private mutating func staple() -> StapledAnswer {
        let revoked = StapledAnswer.Status.revoked(
            at: number(0...4_000_000_000), reason: maybe { Int($0.number(0...10)) })
        return StapledAnswer(
            one(of: [.good, revoked, .unknown, .invalid]), thisUpdate: number(0...4_000_000_000),
            nextUpdate: maybe { $0.number(0...4_000_000_000) })
    }
}

extension SeededGenerator {
    /// A handshake that finished, failed, or both.
    package mutating func handshake() -> RecordedHandshake {
        RecordedHandshake(facts: maybe { $0.facts() }, failure: maybe { $0.failure() }, offer: maybe { $0.offer() })
    }

    private mutating func failure() -> HandshakeFailure {
        one(of: [
            .alertReceived(UInt8(number(0...255))), .versionNotOffered, .suiteNotOffered, .closed(reset: true),
            .closed(reset: false), .notTLS(several { UInt8($0.number(0...255)) }), .timeout,
            .library(UInt64.random(in: .min ... .max, using: &self)),
        ])
    }

    private mutating func offer() -> TLSOffer {
        var offer = TLSOffer(
            minimum: one(of: TLSVersion.allCases), maximum: one(of: TLSVersion.allCases),
            suites: one(of: OSProfile.all).systemSuites
                + several { CipherSuite(code: UInt16($0.number(0...65_535)), name: $0.text()) })
        offer.takesSHA1Signatures = hits(oneIn: 2)
        offer.shape = maybe { $0.one(of: HelloShape.allCases) }
        return offer
    }
}
