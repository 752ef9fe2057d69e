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
    package static let fields = [
        RecordField(fact: "facts", \Self.facts), RecordField(fact: "failure", \.failure),
        RecordField(fact: "offer", \.offer),
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
        for path in kept.otherPaths.indices {
            let others = kept.otherPaths[path].certificates.indices
            for place in others.dropFirst() { kept.otherPaths[path].certificates[place].replaceNamesByCount() }
        }
        if kept.storedBytes > chainBytes { kept.otherPaths = [] }
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
            || otherPaths.contains { $0.certificates.dropFirst().contains(where: \.hasSubjectAltName) }
    }

    /// Approximate size of its certificates in a store. Most certificates of the path were served, too, and count once.
    private var storedBytes: Int {
        let others = (path + otherPaths.flatMap(\.certificates)).filter { one in
            !served.contains { $0.sha256 == one.sha256 }
        }
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
    package static let fields = [
        RecordField(fact: "version", \Self.version), RecordField(fact: "suite", \.suite),
        RecordField(fact: "group", \.group),
        RecordField(fact: "alpn", \.alpn), RecordField(fact: "chain", \.chain), RecordField(fact: "anchor", \.anchor),
        RecordField(fact: "faults", \.faults),
        RecordField(fact: "scts", \.scts), RecordField(fact: "sctReview", \.sctReview),
        RecordField(fact: "staple", \.staple),
        RecordField(fact: "usesExtendedMasterSecret", \.usesExtendedMasterSecret),
        RecordField(fact: "clientCertificate", \.clientCertificate), RecordField(fact: "signature", \.signature),
        RecordField(fact: "groupLeftOut", \.groupLeftOut),
        RecordField(fact: "unkeptCertificates", \.unkeptCertificates),
    ]

    /// Both chains in one, because most certificates are in both.
    fileprivate var chain: StoredChain {
        get { StoredChain(served: served, path: path, others: otherPaths) }
        set {
            (served, path) = (newValue.served.map(newValue.certificate), newValue.path.map(newValue.certificate))
            otherPaths = newValue.others.map { other in
                CertificatePath(other.path.map(newValue.certificate), anchor: other.anchor, faults: other.faults)
            }
        }
    }
}

/// Each certificate once, and all chains as indexes into that list.
private struct StoredChain: StoredFacts {
    var certificates: [CertificateFacts] = []
    var served: [Int] = []
    var path: [Int] = []
    var others: [StoredPath] = []

    static let blank = StoredChain()
    package static let fields = [
        RecordField(fact: "certificates", \Self.certificates), RecordField(fact: "served", \.served),
        RecordField(fact: "path", \.path), RecordField(fact: "others", \.others),
    ]

    private init() {}

    init(served: [CertificateFacts], path: [CertificateFacts], others: [CertificatePath]) {
        self.served = served.map { place(of: $0) }
        self.path = path.map { place(of: $0) }
        self.others = others.map { other in
            StoredPath(path: other.certificates.map { place(of: $0) }, anchor: other.anchor, faults: other.faults)
        }
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

/// A further path to an anchor, as indexes.
private struct StoredPath: StoredFacts {
    var path: [Int] = []
    var anchor = TrustAnchor.broken
    var faults: [PathFault] = []

    static let blank = StoredPath()
    package static let fields = [
        RecordField(fact: "path", \Self.path), RecordField(fact: "anchor", \.anchor),
        RecordField(fact: "faults", \.faults),
    ]
}

extension CertificateFacts: StoredFacts {
    static let blank = CertificateFacts()
    package static let fields = [
        RecordField(fact: "subject", \Self.subject), RecordField(fact: "issuer", \.issuer),
        RecordField(fact: "commonName", \.commonName),
        RecordField(fact: "serial", \.serial), RecordField(fact: "keyType", \.keyType),
        RecordField(fact: "keyBits", \.keyBits),
        RecordField(fact: "signature", \.signature), RecordField(fact: "signatureHashBits", \.signatureHashBits),
        RecordField(fact: "notBefore", \.notBefore), RecordField(fact: "notAfter", \.notAfter),
        RecordField(fact: "sha256", \.sha256),
        RecordField(fact: "spkiSHA256", \.spkiSHA256), RecordField(fact: "dnsNames", \.dnsNames),
        RecordField(fact: "ipAddresses", \.ipAddresses), RecordField(fact: "unkeptNames", \.unkeptNames),
        RecordField(fact: "allowsServerAuth", \.allowsServerAuth),
        RecordField(fact: "isCA", \.isCA), RecordField(fact: "isSelfIssued", \.isSelfIssued),
    ]
}

extension SCTCounts: StoredFacts {
    static let blank = SCTCounts()
    package static let fields = [
        RecordField(fact: "embedded", \Self.embedded), RecordField(fact: "handshake", \.handshake),
        RecordField(fact: "stapled", \.stapled),
    ]
}

extension SCTReview: StoredFacts {
    static let blank = SCTReview()
    package static let fields = [
        RecordField(fact: "counted", \Self.counted), RecordField(fact: "refused", \.refused),
        RecordField(fact: "listTime", \.listTime),
    ]
}

extension CountedSCT: StoredFacts {
    static let blank = CountedSCT(source: .embedded, time: 0)
    package static let fields = [
        RecordField(fact: "source", \Self.source), RecordField(fact: "time", \.time),
        RecordField(fact: "operatorName", \.operatorName),
        RecordField(fact: "retirement", \.retirement), RecordField(fact: "isTiled", \.isTiled),
    ]
}

extension StapledAnswer: StoredFacts {
    static let blank = StapledAnswer(.invalid)
    package static let fields = [
        RecordField(fact: "status", \Self.status), RecordField(fact: "thisUpdate", \.thisUpdate),
        RecordField(fact: "nextUpdate", \.nextUpdate),
    ]
}

extension HandshakeSignature: StoredFacts {
    static let blank = HandshakeSignature(.other, hashBits: nil)
    package static let fields = [RecordField(fact: "scheme", \Self.scheme), RecordField(fact: "hashBits", \.hashBits)]
}

extension TLSOffer: StoredFacts {
    static let blank = TLSOffer.diagnostic
    package static let fields = [
        RecordField(fact: "minimum", \Self.minimum), RecordField(fact: "maximum", \.maximum),
        RecordField(fact: "suites", \.suites), RecordField(fact: "shape", \.shape),
        RecordField(fact: "takesSHA1Signatures", \.takesSHA1Signatures),
    ]
}
