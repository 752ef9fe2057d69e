import ATSPolicy
import Text

extension HandshakeFacts {
    /// What a record keeps: of a chain that is longer, or says more, than those of real origins, its ends; and names of
    /// the leaf alone.
    var kept: HandshakeFacts {
        guard
            served.count > certificatesKept || path.count > certificatesKept || hasOtherNames
                || storedBytes > chainBytes
        else { return self }
        var kept = self
        for place in kept.served.indices.dropFirst() { kept.served[place].leaveOutNames() }
        for place in kept.path.indices.dropFirst() { kept.path[place].leaveOutNames() }
        let whole = kept
        for count in (2...certificatesKept).reversed() {
            kept.served = Array(whole.served.prefix(count))
            kept.path = whole.path
            // The anchor is what the path stands on.
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

    /// What its certificates take in a store, about; those of the path are mostly served ones.
    private var storedBytes: Int {
        let others = path.filter { one in !served.contains { $0.sha256 == one.sha256 } }
        return served.reduce(0) { $0 + $1.storedBytes } + others.reduce(0) { $0 + $1.storedBytes }
    }

    /// What a record does not keep, in words; empty where it keeps all.
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
        // Keys, digests and what has a fixed length; quotes and a comma for each text.
        return texts.reduce(400) { $0 + $1.bytesInJSON + 3 }
    }

    /// How many there are stands in the place of all.
    fileprivate mutating func leaveOutNames() {
        guard hasSubjectAltName else { return }
        unkeptNames = dnsNames.count + ipAddresses.count + (unkeptNames ?? 0)
        (dnsNames, ipAddresses) = ([], [])
    }
}

/// Of each chain, the one that was served and the one that was built: real ones have 2 to 4.
private let certificatesKept = 5
/// Of both in a store. Two of each always fit.
private let chainBytes = 7_680
