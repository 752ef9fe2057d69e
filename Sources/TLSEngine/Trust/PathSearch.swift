internal import ATSPolicy
internal import COpenSSL

/// A bounded search for the paths from a leaf to the anchors of a store, over the served certificates and the store.
///
/// OpenSSL's own builder follows one issuer per certificate and does not go back if that one leads nowhere
/// (openssl-verification-options(1), "Certification Path Building"). Apple's builder tries all of them. The order here
/// is Apple's: anchors first, then the served certificates, the last one first, because each new partial path is
/// continued next. An issuer that is already in the path ends it. Source: Security, SecTrustServer.c,
/// SecPathBuilderGetNext and SecPathBuilderProcessParents; SecCertificateServer.c, SecCertificatePathVCIsCycleInGraph;
/// docs/law/trust.md#several-paths.
struct PathSearch {
    /// Paths to anchors, in the order in which they were found. The anchor is last.
    private(set) var paths: [[Certificate]] = []

    private let served: [Certificate]
    private let context: OpaquePointer
    private var known: [OpaquePointer: [Certificate]] = [:]
    private var verified: [Edge: Bool] = [:]
    /// Partial and complete paths so far.
    private var considered = 0

    private struct Edge: Hashable {
        let child: OpaquePointer
        let issuer: OpaquePointer
    }

    /// - Parameters:
    ///   - served: leaf first.
    ///   - context: initialized with the store.
    init(_ served: [Certificate], context: OpaquePointer) {
        self.served = served
        self.context = context
        guard let leaf = served.first else { return }
        extend([leaf])
    }

    private mutating func extend(_ path: [Certificate]) {
        guard let last = path.last, !isCycle(path) else { return }
        let anchors = anchors(issuing: last)
        for anchor in anchors where mayExtend(path, by: anchor) { paths.append(path + [anchor]) }
        for issuer in served.dropFirst().reversed() where isIssuer(issuer, of: last) {
            guard !anchors.contains(where: { $0.isSame(as: issuer) }), mayExtend(path, by: issuer) else { continue }
            extend(path + [issuer])
        }
    }

    /// Counts a new path. False if the certificate is in it already, if its key did not sign the last one, or if the
    /// search reached its bounds.
    private mutating func mayExtend(_ path: [Certificate], by issuer: Certificate) -> Bool {
        guard paths.count < Self.mostPaths, considered < Self.mostConsidered, path.count < Self.longestPath,
            let last = path.last, !path.contains(where: { $0.isSame(as: issuer) })
        else { return false }
        considered += 1
        let edge = Edge(child: last.raw, issuer: issuer.raw)
        if let isVerified = verified[edge] { return isVerified }
        let isVerified = X509_get0_pubkey(issuer.raw).map { X509_verify(last.raw, $0) == 1 } ?? false
        ErrorQueue.clear()
        verified[edge] = isVerified
        return isVerified
    }

    /// True if the issuer of the last certificate is the subject of an earlier one.
    private func isCycle(_ path: [Certificate]) -> Bool {
        guard let last = path.last else { return false }
        let issuer = X509_get_issuer_name(last.raw)
        return path.dropLast().contains { X509_NAME_cmp(X509_get_subject_name($0.raw), issuer) == 0 }
    }

    /// True by name and key identifier. Security refuses a wrong key identifier later (IdLinkage), with the same result.
    private func isIssuer(_ issuer: Certificate, of certificate: Certificate) -> Bool {
        switch X509_check_issued(issuer.raw, certificate.raw) {
        case X509_V_OK, X509_V_ERR_KEYUSAGE_NO_CERTSIGN: true
        default: false
        }
    }

    private mutating func anchors(issuing certificate: Certificate) -> [Certificate] {
        if let known = known[certificate.raw] { return known }
        let found = Self.anchors(named: X509_get_issuer_name(certificate.raw), in: context)
            .filter { isIssuer($0, of: certificate) }
        known[certificate.raw] = found
        return found
    }

    /// Returns the store's certificates with a name.
    static func anchors(named name: OpaquePointer?, in context: OpaquePointer) -> [Certificate] {
        guard let found = X509_STORE_CTX_get1_certs(context, name) else { return [] }
        defer { ossl_certificates_free_all(found) }
        ErrorQueue.clear()
        return (0..<max(0, ossl_certificates_count(found))).compactMap { place in
            ossl_certificate_at(found, place).map { Certificate(sharing: $0) }
        }
    }

    /// True if a path may not be the only one: a certificate below the anchor has a second possible issuer.
    ///
    /// - Parameter path: leaf first, with its anchor.
    static func mayBranch(_ path: [Certificate], served: [Certificate], context: OpaquePointer) -> Bool {
        path.dropLast().contains { certificate in
            let name = X509_get_issuer_name(certificate.raw)
            var issuers = served.dropFirst().filter { X509_NAME_cmp(X509_get_subject_name($0.raw), name) == 0 }
            for anchor in anchors(named: name, in: context) where !issuers.contains(where: { $0.isSame(as: anchor) }) {
                issuers.append(anchor)
            }
            return issuers.count > 1
        }
    }

    /// Paths to anchors that are kept. Apple keeps up to 100 of any kind; real chains have at most 4.
    private static let mostPaths = 8
    /// Partial and complete paths. Source: Security, SecTrustServer.c, MAX_NUM_CHAINS.
    private static let mostConsidered = 100
    /// Certificates of a path. Source: Security, SecTrustServer.c, MAX_CHAIN_LENGTH.
    private static let longestPath = 15
}

extension Certificate {
    /// True for the same bytes.
    func isSame(as other: Certificate) -> Bool { raw == other.raw || X509_cmp(raw, other.raw) == 0 }
}

/// Checks paths against X.509 as Apple's published code does. Source: Security, SecPolicyServer.c,
/// SecPVCParentCertificateChecks, SecPolicyCheckBasicCertificateProcessing, SecPolicyCheckNonEmptySubject.
extension PathFault {
    /// Returns the faults of a path to an anchor, leaf first.
    static func all(in path: [Certificate]) -> [PathFault] {
        guard let anchor = path.last else { return [] }
        var faults: [PathFault] = []
        for (place, certificate) in path.enumerated() {
            faults += own(of: certificate, at: place, isAnchor: place > 0 && place == path.count - 1)
            guard place > 0 else { continue }
            if let kind = authorityFault(of: certificate, under: anchor) { faults.append(PathFault(kind, at: place)) }
        }
        return faults + lengthFaults(in: path) + nameFaults(in: path)
    }

    private static func own(of certificate: Certificate, at place: Int, isAnchor: Bool) -> [PathFault] {
        var faults: [PathFault] = []
        let flags = X509_get_extension_flags(certificate.raw)
        if !isAnchor, flags & UInt32(EXFLAG_CRITICAL) != 0 { faults.append(PathFault(.criticalExtension, at: place)) }
        if flags & UInt32(EXFLAG_INVALID) != 0 { faults.append(PathFault(.malformedExtension, at: place)) }
        if X509_NAME_entry_count(X509_get_subject_name(certificate.raw)) == 0 {
            let names = X509_get_ext_by_NID(certificate.raw, NID_subject_alt_name, -1)
            let isCritical = names >= 0 && X509_EXTENSION_get_critical(X509_get_ext(certificate.raw, names)) == 1
            if flags & UInt32(EXFLAG_CA) != 0 || !isCritical { faults.append(PathFault(.emptySubject, at: place)) }
        }
        return faults
    }

    /// The first reason why a certificate may not issue others; nil if it may.
    private static func authorityFault(of certificate: Certificate, under anchor: Certificate) -> Kind? {
        let flags = X509_get_extension_flags(certificate.raw)
        if certificate.hasVersion3 {
            if flags & UInt32(EXFLAG_BCONS) == 0 { return .noBasicConstraints }
            if flags & UInt32(EXFLAG_CA) == 0 { return .notCA }
        } else if anchor.hasVersion3, certificate !== anchor {
            return .oldVersion
        }
        let signs = X509_get_key_usage(certificate.raw) & UInt32(KU_KEY_CERT_SIGN) != 0
        return flags & UInt32(EXFLAG_KUSAGE) == 0 || signs ? nil : .keyUsage
    }

    /// Follows the limits of length from the anchor down. Self-issued certificates do not count.
    private static func lengthFaults(in path: [Certificate]) -> [PathFault] {
        func fault(from start: Int) -> Int? {
            var left = start
            for place in path.indices.dropFirst().dropLast().reversed() {
                if !path[place].isSelfIssued {
                    if left == 0 { return place }
                    left -= 1
                }
                let limit = X509_get_pathlen(path[place].raw)
                if limit >= 0 { left = min(left, Int(limit)) }
            }
            return nil
        }
        if let place = fault(from: path.count) { return [PathFault(.pathLength, at: place)] }
        let limit = path.count > 1 ? path.last.map { Int(X509_get_pathlen($0.raw)) } ?? -1 : -1
        return limit >= 0 ? fault(from: limit).map { [PathFault(.rootPathLength, at: $0)] } ?? [] : []
    }

    /// Compares the names of each certificate with the constraints of the CAs above it. Self-issued CAs are exempt (RFC
    /// 5280 section 4.2.1.10).
    private static func nameFaults(in path: [Certificate]) -> [PathFault] {
        var faults: [PathFault] = []
        for place in path.indices.dropFirst() {
            guard let constraints = path[place].nameConstraints else { continue }
            defer { NAME_CONSTRAINTS_free(constraints) }
            let kind: Kind = place == path.count - 1 ? .rootNameConstraints : .nameConstraints
            for below in 0..<place where below == 0 || !path[below].isSelfIssued {
                switch NAME_CONSTRAINTS_check(path[below].raw, constraints) {
                case X509_V_ERR_PERMITTED_VIOLATION, X509_V_ERR_EXCLUDED_VIOLATION:
                    faults.append(PathFault(kind, at: below))
                default: continue
                }
            }
        }
        return faults
    }
}

extension Certificate {
    fileprivate var hasVersion3: Bool { X509_get_version(raw) >= Int(X509_VERSION_3) }

    var hasNameConstraints: Bool { X509_get_ext_by_NID(raw, NID_name_constraints, -1) >= 0 }

    /// The caller frees it.
    fileprivate var nameConstraints: UnsafeMutablePointer<NAME_CONSTRAINTS>? {
        guard hasNameConstraints else { return nil }
        return X509_get_ext_d2i(raw, NID_name_constraints, nil, nil)?.assumingMemoryBound(to: NAME_CONSTRAINTS.self)
    }
}
