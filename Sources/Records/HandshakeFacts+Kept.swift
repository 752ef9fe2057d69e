import ATSPolicy
import Text

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
