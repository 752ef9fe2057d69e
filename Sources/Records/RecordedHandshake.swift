public import ATSPolicy
import Text

/// All that a handshake with an origin showed, so that it can be judged again under any dictionary and release.
public struct RecordedHandshake: Sendable, Hashable {
    /// nil if no handshake finished.
    public var facts: HandshakeFacts?
    /// How the handshake with `offer` failed. `facts` then come from a second handshake, which offered everything. They
    /// come from the same one if the origin rejected the client's answer to its certificate request.
    public var failure: HandshakeFailure?
    /// The offer to the origin; nil if it was not recorded.
    public var offer: TLSOffer?

    public init(facts: HandshakeFacts?, failure: HandshakeFailure? = nil, offer: TLSOffer? = nil) {
        self.facts = facts
        self.failure = failure
        self.offer = offer
    }

    /// Approximate size in memory.
    public var bytes: Int { 256 + (facts?.bytes ?? 0) }

    /// True if nothing was seen, as with a cleartext origin.
    public var isEmpty: Bool { facts == nil && failure == nil && offer == nil }
}

/// The stored form: one handshake as text.
extension RecordedHandshake {
    /// One line of JSON that reads back as the same handshake.
    public var text: String {
        var writer = JSONWriter()
        write(to: &writer)
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}

extension RecordedHandshake: Decodable {
    public init(from decoder: any Decoder) throws { try self.init(reading: decoder) }
}

extension RecordedHandshake: StoredFacts {
    static let blank = RecordedHandshake(facts: nil)
    static let fields = [
        FactField("facts", \Self.facts), FactField("failure", \.failure), FactField("offer", \.offer),
    ]
}

extension HandshakeFacts {
    /// The facts as a record keeps them. A chain that exceeds those of real origins keeps only its ends. Only the leaf
    /// keeps its names.
    var kept: HandshakeFacts {
        guard
            served.count > certificatesKept || path.count > certificatesKept || hasOtherNames
                || storedBytes > chainBytes
        else { return self }
        var kept = self
        for place in kept.served.indices.dropFirst() { kept.served[place].replaceNamesByCount() }
        for place in kept.path.indices.dropFirst() { kept.path[place].replaceNamesByCount() }
        let whole = kept
        for count in (2...certificatesKept).reversed() {
            kept.served = Array(whole.served.prefix(count))
            kept.path = whole.path
            // Keep the anchor: the path depends on it.
            if whole.path.count > count { kept.path.removeSubrange((count - 1)..<(whole.path.count - 1)) }
            if kept.storedBytes <= chainBytes { break }
        }
        let unkept = max(served.count - kept.served.count, path.count - kept.path.count)
        kept.unkeptCertificates = unkept > 0 ? unkept : unkeptCertificates
        return kept
    }

    private var hasOtherNames: Bool {
        served.dropFirst().contains { !$0.dnsNames.isEmpty || !$0.ipAddresses.isEmpty }
            || path.dropFirst().contains { !$0.dnsNames.isEmpty || !$0.ipAddresses.isEmpty }
    }

    /// Approximate size of its certificates in a store. Most certificates of the path were served, too, and count once.
    private var storedBytes: Int {
        let others = path.filter { one in !served.contains { $0.sha256 == one.sha256 } }
        return served.reduce(0) { $0 + $1.storedBytes } + others.reduce(0) { $0 + $1.storedBytes }
    }

    /// A description of what a record leaves out; empty if it keeps everything.
    var cut: [String] {
        var cut: [String] = []
        if let count = unkeptCertificates { cut.append("\(count) certificates") }
        let names = served.reduce(0) { $0 + ($1.unkeptNames ?? 0) }
        if names > 0 { cut.append("\(names) names") }
        return cut
    }
}

extension CertificateFacts {
    fileprivate var storedBytes: Int {
        let texts = [subject, issuer, commonName ?? "", serial] + dnsNames + ipAddresses
        // Keys, digests and fields of fixed length; quotes and a comma for each text.
        return texts.reduce(400) { $0 + $1.bytesInJSON + 3 }
    }

    /// Replaces the names with their count.
    fileprivate mutating func replaceNamesByCount() {
        guard hasSubjectAltName else { return }
        unkeptNames = dnsNames.count + ipAddresses.count + (unkeptNames ?? 0)
        (dnsNames, ipAddresses) = ([], [])
    }
}

/// Limit for each chain, the served one and the built one; real ones have 2 to 4 certificates.
private let certificatesKept = 5
/// Limit for both chains in a store. Two certificates of each always fit.
private let chainBytes = 7_680

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
