internal import ATSPolicy
internal import COpenSSL
import Text

/// The certificates that an origin served, and the path built from them.
struct ServedChain: Sendable {
    var served: [CertificateFacts]
    var path: [CertificateFacts]
    var anchor: TrustAnchor
    /// True if a certificate in the path has name constraints.
    private var isConstrained = false
    /// The leaf's names beyond the size limits.
    private var unkept = CertificateNames()

    /// Builds the path. OpenSSL parses long name lists only if a certificate has name constraints.
    static func reading(_ certificates: [Certificate], store: OpaquePointer, systemRoots: Set<String>) -> ServedChain {
        let long = certificates.filter(\.hasManyNames)
        for certificate in long { certificate.parseWithoutNames() }
        let chain = ServedChain(certificates, store: store, systemRoots: systemRoots)
        guard !long.isEmpty, chain.isConstrained else { return chain }
        return ServedChain(certificates.compactMap(\.copy), store: store, systemRoots: systemRoots)
    }

    /// Builds the path with OpenSSL at security level 0 and ignores times: the rules judge keys, hashes and times. For
    /// the same reason no purpose is set.
    private init(_ certificates: [Certificate], store: OpaquePointer, systemRoots: Set<String>) {
        served = []
        path = []
        anchor = .broken
        for certificate in certificates {
            var others = CertificateNames()
            served.append(CertificateFacts(of: certificate.raw, unkept: &others))
            if served.count == 1 { unkept = others }
        }
        ErrorQueue.clear()
        guard let leaf = certificates.first, let context = X509_STORE_CTX_new() else { return }
        defer { X509_STORE_CTX_free(context) }
        let untrusted = CertificateStack(certificates)
        guard X509_STORE_CTX_init(context, store, leaf.raw, untrusted.raw) == 1,
            let parameters = X509_STORE_CTX_get0_param(context)
        else { return }
        X509_VERIFY_PARAM_set_flags(parameters, UInt(X509_V_FLAG_NO_CHECK_TIME))
        X509_VERIFY_PARAM_set_auth_level(parameters, 0)
        let isValid = X509_verify_cert(context) == 1
        let chain = X509_STORE_CTX_get0_chain(context)
        var constrains = false
        path = (0..<max(0, chain.map { ossl_certificates_count($0) } ?? 0)).compactMap { place in
            guard let raw = ossl_certificate_at(chain, place) else { return nil }
            if X509_get_ext_by_NID(raw, NID_name_constraints, -1) >= 0 { constrains = true }
            // The facts exist already, unless this is an anchor from the store.
            if let known = certificates.firstIndex(where: { $0.raw == raw }) { return served[known] }
            var others = CertificateNames()
            return CertificateFacts(of: raw, unkept: &others)
        }
        isConstrained = constrains
        if isValid {
            anchor = path.last.map { systemRoots.contains($0.sha256) } == true ? .system : .user
        } else {
            anchor = Self.anchor(for: X509_STORE_CTX_get_error(context))
        }
        ErrorQueue.clear()
    }

    /// Returns a copy with the leaf's names for `hosts`, even if they are beyond the size limits.
    func showing(_ hosts: [String]) -> ServedChain {
        guard unkept.count > 0 else { return self }
        var shown = self
        for host in hosts {
            guard let name = unkept.name(for: host), shown.served.first.map({ !$0.dnsNames.contains(name) }) == true
            else { continue }
            shown.served[0].show(name)
            if !shown.path.isEmpty { shown.path[0].show(name) }
        }
        return shown
    }

    /// Approximate size in memory.
    var bytes: Int { (served + path).reduce(unkept.bytes) { $0 + $1.bytes } }

    /// Source: X509_STORE_CTX_get_error(3).
    private static func anchor(for code: Int32) -> TrustAnchor {
        switch code {
        case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT: .selfSignedLeaf
        case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN: .unknownRoot
        case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT, X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY,
            X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
            .incomplete
        default: .broken
        }
    }
}

/// The names of a certificate beyond the limits of its facts.
struct CertificateNames: Sendable {
    private var names: [String] = []
    private(set) var bytes = 0

    var count: Int { names.count }

    /// Adds a name. A name longer than a host can be (RFC 1035 section 2.3.4) is only counted.
    mutating func add(_ name: String) {
        let isLong = name.utf8.count > 255
        names.append(isLong ? "" : name)
        bytes += MemoryLayout<String>.stride + (isLong || name.utf8.count < 16 ? 0 : name.utf8.count + 32)
    }

    func name(for host: String) -> String? { HostName.name(for: host, among: names) }
}

extension CertificateFacts {
    fileprivate mutating func show(_ name: String) {
        if IPAddress(name) == nil { dnsNames.append(name) } else { ipAddresses.append(name) }
        unkeptNames = unkeptNames.flatMap { $0 > 1 ? $0 - 1 : nil }
    }
}
