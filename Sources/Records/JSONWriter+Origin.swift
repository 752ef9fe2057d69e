import ATSPolicy
import Text

extension JSONWriter {
    /// Appends an origin as met. `chain` is as served, leaf first; `trust` says where the evaluated path ended. Of
    /// timestamps those are counted that a list of logs vouches for; without one all are, and `given` is null.
    mutating func origin(_ origin: OriginCard) {
        let facts = origin.facts
        raw(#"{"address":"#)
        text(origin.address)
        raw(#","tlsVersion":"#)
        text(facts?.version.name)
        raw(#","cipherSuite":"#)
        text(facts?.suite.name)
        raw(#","group":"#)
        text(facts?.group)
        raw(#","alpn":"#)
        text(facts?.alpn)
        raw(#","chain":"#)
        list(facts?.served ?? []) { $0.certificate($1) }
        raw(#","scts":"#)
        if let facts { timestamps(facts.scts, facts.sctReview) } else { raw("null") }
        raw(#","staple":"#)
        text(facts?.staple?.status.word)
        raw(#","trust":"#)
        text(facts?.anchor.rawValue)
        raw(#","clientCertificate":"#)
        text(facts?.clientCertificate?.rawValue)
        raw("}")
    }

    private mutating func timestamps(_ counts: SCTCounts, _ review: SCTReview?) {
        raw(#"{"embedded":"#)
        number(Int64(counts.embedded))
        raw(#","handshake":"#)
        number(Int64(counts.handshake))
        raw(#","stapled":"#)
        number(Int64(counts.stapled))
        raw(#","given":"#)
        number(review.map(\.given))
        raw(#","refused":"#)
        texts((review?.refused ?? []).map(\.rawValue))
        raw("}")
    }

    private mutating func certificate(_ certificate: CertificateFacts) {
        raw(#"{"subject":"#)
        text(certificate.subject)
        raw(#","issuer":"#)
        text(certificate.issuer)
        raw(#","serial":"#)
        text(certificate.serial)
        raw(#","keyType":"#)
        text(certificate.keyType.rawValue)
        raw(#","keyBits":"#)
        number(Int64(certificate.keyBits))
        raw(#","signature":"#)
        text(certificate.signature)
        raw(#","notBefore":"#)
        time(seconds: certificate.notBefore)
        raw(#","notAfter":"#)
        time(seconds: certificate.notAfter)
        raw(#","sha256":"#)
        text(certificate.sha256)
        raw(#","spkiSHA256":"#)
        text(certificate.spkiSHA256)
        raw("}")
    }
}
