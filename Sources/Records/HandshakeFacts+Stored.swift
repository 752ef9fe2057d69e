import ATSPolicy

extension HandshakeFacts: StoredFacts {
    static let blank = HandshakeFacts(
        version: .tls10, suite: CipherSuite(code: 0, name: ""), group: nil, alpn: nil, served: [], path: [],
        anchor: .broken)
    static let fields = [
        FactField("version", \Self.version), FactField("suite", \.suite), FactField("group", \.group),
        FactField("alpn", \.alpn), FactField("chain", \.chain), FactField("anchor", \.anchor),
        FactField("scts", \.scts), FactField("sctReview", \.sctReview), FactField("staple", \.staple),
        FactField("usesExtendedMasterSecret", \.usesExtendedMasterSecret),
        FactField("clientCertificate", \.clientCertificate), FactField("signature", \.signature),
        FactField("unkeptCertificates", \.unkeptCertificates),
    ]

    /// Both chains in one, because most certificates are in both.
    fileprivate var chain: StoredChain {
        get { StoredChain(served: served, path: path) }
        set { (served, path) = (newValue.served.map(newValue.certificate), newValue.path.map(newValue.certificate)) }
    }
}

/// Each certificate once, and both chains as indexes into that list.
private struct StoredChain: StoredFacts {
    var certificates: [CertificateFacts] = []
    var served: [Int] = []
    var path: [Int] = []

    static let blank = StoredChain()
    static let fields = [
        FactField("certificates", \Self.certificates), FactField("served", \.served), FactField("path", \.path),
    ]

    private init() {}

    init(served: [CertificateFacts], path: [CertificateFacts]) {
        self.served = served.map { place(of: $0) }
        self.path = path.map { place(of: $0) }
    }

    /// Returns an empty certificate for an index beyond the end, which no version of atsgate has written.
    func certificate(_ place: Int) -> CertificateFacts {
        certificates.indices.contains(place) ? certificates[place] : .blank
    }

    private mutating func place(of certificate: CertificateFacts) -> Int {
        if let place = certificates.firstIndex(of: certificate) { return place }
        certificates.append(certificate)
        return certificates.count - 1
    }
}

extension CertificateFacts: StoredFacts {
    static let blank = CertificateFacts()
    static let fields = [
        FactField("subject", \Self.subject), FactField("issuer", \.issuer), FactField("commonName", \.commonName),
        FactField("serial", \.serial), FactField("keyType", \.keyType), FactField("keyBits", \.keyBits),
        FactField("signature", \.signature), FactField("signatureHashBits", \.signatureHashBits),
        FactField("notBefore", \.notBefore), FactField("notAfter", \.notAfter), FactField("sha256", \.sha256),
        FactField("spkiSHA256", \.spkiSHA256), FactField("dnsNames", \.dnsNames),
        FactField("ipAddresses", \.ipAddresses), FactField("unkeptNames", \.unkeptNames),
        FactField("allowsServerAuth", \.allowsServerAuth),
        FactField("isCA", \.isCA), FactField("isSelfIssued", \.isSelfIssued),
    ]
}

extension SCTCounts: StoredFacts {
    static let blank = SCTCounts()
    static let fields = [
        FactField("embedded", \Self.embedded), FactField("handshake", \.handshake), FactField("stapled", \.stapled),
    ]
}

extension SCTReview: StoredFacts {
    static let blank = SCTReview()
    static let fields = [
        FactField("counted", \Self.counted), FactField("refused", \.refused), FactField("listTime", \.listTime),
    ]
}

extension CountedSCT: StoredFacts {
    static let blank = CountedSCT(source: .embedded, time: 0)
    static let fields = [
        FactField("source", \Self.source), FactField("time", \.time), FactField("operatorName", \.operatorName),
        FactField("retirement", \.retirement), FactField("isTiled", \.isTiled),
    ]
}

extension StapledAnswer: StoredFacts {
    static let blank = StapledAnswer(.invalid)
    static let fields = [
        FactField("status", \Self.status), FactField("thisUpdate", \.thisUpdate), FactField("nextUpdate", \.nextUpdate),
    ]
}

extension HandshakeSignature: StoredFacts {
    static let blank = HandshakeSignature(.other, hashBits: nil)
    static let fields = [FactField("scheme", \Self.scheme), FactField("hashBits", \.hashBits)]
}

extension TLSOffer: StoredFacts {
    static let blank = TLSOffer.diagnostic
    static let fields = [
        FactField("minimum", \Self.minimum), FactField("maximum", \.maximum), FactField("suites", \.suites),
        FactField("takesSHA1Signatures", \.takesSHA1Signatures),
    ]
}
