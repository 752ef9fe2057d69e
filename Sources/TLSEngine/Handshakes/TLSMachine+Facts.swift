public import ATSPolicy
internal import COpenSSL
import Text

extension TLSMachine {
    /// Returns the facts of a handshake with an origin; nil before the origin's part is complete, and on the client
    /// side.
    ///
    /// Up to TLS 1.2 an origin may reject a client's answer before the handshake is done. The callback that chooses a
    /// certificate runs after the origin has sent its whole part (RFC 5246 section 7.3), so all facts are known by
    /// then.
    ///
    /// - Parameter hosts: the hosts that the leaf is judged for; its names for them are kept, see
    ///   ``CertificateFacts/namesKept``.
    public func facts(trust: TrustStore, for hosts: [String] = []) -> HandshakeFacts? {
        let raw = connection.raw
        guard SSL_is_server(raw) == 0, SSL_is_init_finished(raw) == 1 || certificateRequest?.hasCome == true,
            let version = TLSVersion(rawValue: UInt16(truncatingIfNeeded: SSL_version(raw))),
            let cipher = SSL_get_current_cipher(raw)
        else { return nil }
        let code = SSL_CIPHER_get_protocol_id(cipher)
        let name = SSL_CIPHER_standard_name(cipher).map { String(cString: $0) } ?? ""
        ErrorQueue.clear()
        let chain = trust.evaluate(served: SSL_get_peer_cert_chain(raw), for: hosts)
        ErrorQueue.clear()
        var facts = HandshakeFacts(
            version: version, suite: CipherSuite(code: code, name: name), group: group, alpn: negotiatedALPN,
            served: chain.served, path: chain.path, anchor: chain.anchor, scts: sctCounts)
        (facts.faults, facts.otherPaths) = (chain.faults, chain.otherPaths)
        facts.usesExtendedMasterSecret = version < .tls13 ? usesExtendedMasterSecret : nil
        facts.signature = peerSignature
        facts.clientCertificate = certificateRequest?.outcome(on: raw)
        addEvidence(to: &facts, trust: trust)
        return facts
    }

    /// SSL_get_extms_support(3), which is a macro; nil if unknown before the handshake is done.
    private var usesExtendedMasterSecret: Bool? {
        let answer = SSL_ctrl(connection.raw, SSL_CTRL_GET_EXTMS_SUPPORT, 0, nil)
        return answer < 0 ? nil : answer == 1
    }

    /// The group of an ephemeral key exchange. Finite-field groups of TLS 1.2 have no name; they are `DH-` and their
    /// size.
    private var group: String? {
        let number = ossl_negotiated_group(connection.raw)
        switch number {
        case NID_X9_62_prime256v1: return "P-256"
        case NID_secp384r1: return "P-384"
        case NID_secp521r1: return "P-521"
        case 0:
            guard let raw = ossl_peer_temporary_key(connection.raw) else { return nil }
            let key = PrivateKey(owned: raw)
            return EVP_PKEY_get_base_id(key.raw) == EVP_PKEY_DH ? "DH-\(EVP_PKEY_get_bits(key.raw))" : nil
        case let number where number & Self.isGroupNumber != 0:
            // A group of a provider, such as X25519MLKEM768, has no number of OpenSSL's own.
            return SSL_group_to_name(connection.raw, number).map { String(cString: $0) }
        default: return OBJ_nid2sn(number).map { String(cString: $0) }
        }
    }

    /// TLSEXT_nid_unknown: the lower bits are the group's number in TLS. Source: SSL_get_negotiated_group(3).
    private static let isGroupNumber: Int32 = 0x100_0000

    /// Signed certificate timestamps by source (RFC 6962 section 3.3). Their signatures are not checked.
    private var sctCounts: SCTCounts {
        var counts = SCTCounts()
        guard let list = SSL_get0_peer_scts(connection.raw) else { return counts }
        for index in 0..<max(0, ossl_scts_count(list)) {
            switch SCT_get_source(ossl_sct_at(list, index)) {
            case SCT_SOURCE_X509V3_EXTENSION: counts.embedded += 1
            case SCT_SOURCE_TLS_EXTENSION: counts.handshake += 1
            case SCT_SOURCE_OCSP_STAPLED_RESPONSE: counts.stapled += 1
            default: break
            }
        }
        return counts
    }

    /// The OCSP response that the origin stapled; empty if there is none. Source: RFC 6066 section 8.
    var stapledResponse: [UInt8] {
        var start: UnsafePointer<UInt8>?
        let count = ossl_stapled_response(connection.raw, &start)
        return start.map { Array(UnsafeBufferPointer(start: $0, count: max(0, Int(count)))) } ?? []
    }
}

extension StapledAnswer {
    /// Reads a response, and verifies that the leaf's issuer authorized it. Source: RFC 6960 sections 3.2 and 4.2.
    init(_ response: [UInt8], about leaf: OpaquePointer, issuer: Certificate?) {
        self = Self.read(response, about: leaf, issuer: issuer) ?? StapledAnswer(.invalid)
    }

    private static func read(
        _ response: [UInt8], about leaf: OpaquePointer, issuer: Certificate?
    ) -> StapledAnswer? {
        guard let issuer else { return nil }
        let parsed = response.withUnsafeBufferPointer { bytes in
            var cursor = bytes.baseAddress
            return d2i_OCSP_RESPONSE(nil, &cursor, bytes.count)
        }
        guard let parsed else { return nil }
        defer { OCSP_RESPONSE_free(parsed) }
        guard OCSP_response_status(parsed) == OCSP_RESPONSE_STATUS_SUCCESSFUL,
            let basic = OCSP_response_get1_basic(parsed)
        else { return nil }
        defer { OCSP_BASICRESP_free(basic) }
        guard let answer = find(in: basic, leaf: leaf, issuer: issuer),
            isVouchedFor(basic, by: issuer, at: answer.thisUpdate)
        else { return nil }
        return answer
    }

    /// Returns the answer about the leaf. A responder may identify it with any hash (RFC 6960 section 4.1.1).
    private static func find(in basic: OpaquePointer, leaf: OpaquePointer, issuer: Certificate) -> StapledAnswer? {
        for digest in [EVP_sha1(), EVP_sha256(), EVP_sha384(), EVP_sha512()] {
            guard let id = OCSP_cert_to_id(digest, leaf, issuer.raw) else { continue }
            defer { OCSP_CERTID_free(id) }
            var (status, reason): (Int32, Int32) = (0, -1)
            var revocation: UnsafeMutablePointer<ASN1_GENERALIZEDTIME>?
            var begin: UnsafeMutablePointer<ASN1_GENERALIZEDTIME>?
            var end: UnsafeMutablePointer<ASN1_GENERALIZEDTIME>?
            guard OCSP_resp_find_status(basic, id, &status, &reason, &revocation, &begin, &end) == 1,
                let thisUpdate = CertificateFacts.seconds(begin)
            else { continue }
            // An unreadable date must not make the answer valid forever.
            let nextUpdate = end.map { CertificateFacts.seconds($0) ?? .min }
            return StapledAnswer(
                Self.status(status, reason, CertificateFacts.seconds(revocation)), thisUpdate: thisUpdate,
                nextUpdate: nextUpdate)
        }
        return nil
    }

    private static func status(_ number: Int32, _ reason: Int32, _ time: Int64?) -> Status {
        switch number {
        case V_OCSP_CERTSTATUS_GOOD: .good
        case V_OCSP_CERTSTATUS_REVOKED: .revoked(at: time ?? 0, reason: reason < 0 ? nil : Int(reason))
        default: .unknown
        }
    }

    /// True if the issuer signed the response, or a responder that the issuer certified for it (RFC 6960 section
    /// 4.2.2.2).
    ///
    /// - Parameter time: the time at which the responder's certificate must have been valid.
    private static func isVouchedFor(_ basic: OpaquePointer, by issuer: Certificate, at time: Int64) -> Bool {
        guard let store = X509_STORE_new() else { return false }
        defer { X509_STORE_free(store) }
        let issuers = CertificateStack([issuer])
        guard X509_STORE_add_cert(store, issuer.raw) == 1, let parameters = X509_STORE_get0_param(store) else {
            return false
        }
        // The issuer is trusted for this check, even if it is not a root.
        X509_VERIFY_PARAM_set_flags(parameters, UInt(X509_V_FLAG_PARTIAL_CHAIN))
        X509_VERIFY_PARAM_set_time(parameters, Int(time))
        return OCSP_basic_verify(basic, issuers.raw, store, UInt(OCSP_TRUSTOTHER)) == 1
    }
}

extension TLSMachine {
    /// Adds the evidence that came with the chain: timestamps, verified if there is a list of logs, and a stapled OCSP
    /// response.
    func addEvidence(to facts: inout HandshakeFacts, trust: TrustStore) {
        let chain = SSL_get_peer_cert_chain(connection.raw)
        let staple = stapledResponse
        guard let leaf = chain.flatMap({ ossl_certificate_at($0, 0) }), !staple.isEmpty || trust.logs != nil else {
            return
        }
        defer { ErrorQueue.clear() }
        let issuer = trust.issuer(of: leaf, servedWith: chain)
        if !staple.isEmpty { facts.staple = StapledAnswer(staple, about: leaf, issuer: issuer) }
        guard let logs = trust.logs else { return }
        let review = logs.review(timestamps, of: leaf, issuer: issuer)
        facts.sctReview = review
        facts.scts = review.counts
    }

    private var timestamps: [OpaquePointer] {
        guard let list = SSL_get0_peer_scts(connection.raw) else { return [] }
        return (0..<max(0, ossl_scts_count(list))).compactMap { ossl_sct_at(list, $0) }
    }
}

extension TransparencyLogs {
    /// Verifies timestamps with the keys of the logs. Checks that need a clock are left to the rules.
    func review(_ timestamps: [OpaquePointer], of leaf: OpaquePointer, issuer: Certificate?) -> SCTReview {
        let whole = LogEntry(leaf)
        let body = issuer.flatMap { LogEntry(precertificateOf: leaf, issuer: $0.raw) }
        var review = SCTReview(listTime: listTime)
        for timestamp in timestamps {
            do throws(SCTRefusal) {
                review.counted.append(try counted(timestamp, whole: whole, body: body))
            } catch {
                review.refused.append(error)
            }
        }
        return review
    }

    private func counted(
        _ raw: OpaquePointer, whole: LogEntry, body: LogEntry?
    ) throws(SCTRefusal) -> CountedSCT {
        guard SCT_get_version(raw) == SCT_VERSION_V1 else { throw .unknownVersion }
        guard let log = byID[bytes(of: raw, SCT_get0_log_id)] else { throw .unknownLog }
        let source: SCTSource =
            switch SCT_get_source(raw) {
            case SCT_SOURCE_X509V3_EXTENSION: .embedded
            case SCT_SOURCE_OCSP_STAPLED_RESPONSE: .stapled
            default: .handshake
            }
        guard let entry = source == .embedded ? body : whole else { throw .missingIssuer }
        let milliseconds = SCT_get_timestamp(raw)
        let signed = entry.signedBytes(
            milliseconds: milliseconds, extensions: bytes(of: raw, SCT_get0_extensions))
        guard SCT_get_signature_nid(raw) != NID_undef,
            log.key.verifies(bytes(of: raw, SCT_get0_signature), on: signed)
        else { throw .badSignature }
        // Rounded up, so that a time in the future never counts as now.
        let time = Int64(clamping: milliseconds / 1_000) + (milliseconds.isMultiple(of: 1_000) ? 0 : 1)
        var retirement: Int64?
        switch log.approval {
        case .stands: break
        case .never: throw .unapprovedLog
        case .until(let end):
            guard time < end else { throw .retiredLog }
            retirement = end
        }
        return CountedSCT(
            source: source, time: time, operatorName: log.operatorName, retirement: retirement, isTiled: log.isTiled)
    }

    private func bytes(
        of raw: OpaquePointer,
        _ read: (OpaquePointer?, UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>?) -> Int
    ) -> [UInt8] {
        var start: UnsafeMutablePointer<UInt8>?
        let count = read(raw, &start)
        return start.map { Array(UnsafeBufferPointer(start: $0, count: max(0, count))) } ?? []
    }
}

/// The OCSP response that a lab origin staples. A callback points to it, so it must live as long as its context.
final class ServedStaple: Sendable {
    private let response: [UInt8]

    init(_ response: [UInt8]) {
        self.response = response
    }

    /// Answers the status requests of clients (RFC 6066 section 8).
    func attach(to context: ContextHandle) {
        ossl_ctx_on_status_request(
            context.raw,
            { connection, argument in
                guard let connection, let argument else { return SSL_TLSEXT_ERR_NOACK }
                let staple = Unmanaged<ServedStaple>.fromOpaque(argument).takeUnretainedValue()
                let isSet = ossl_staple(connection, staple.response, staple.response.count) == 1
                return isSet ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_NOACK
            }, Unmanaged.passUnretained(self).toOpaque())
    }
}

extension ContextHandle {
    /// Sends timestamps to clients that request them in the handshake (RFC 6962 section 3.3.1). Set the leaf first.
    func serveTimestamps(_ timestamps: [[UInt8]]) throws(TLSSetupError) {
        if timestamps.isEmpty { return }
        let context = UInt64(SSL_EXT_CLIENT_HELLO | SSL_EXT_TLS1_2_SERVER_HELLO | SSL_EXT_TLS1_3_CERTIFICATE)
        // SSL_SERVERINFOV2 of SSL_CTX_use_serverinfo_ex(3): contexts, type, length, value.
        let entry =
            TimestampList.bigEndian(context, bytes: 4)
            + TimestampList.bigEndian(UInt64(TLSEXT_TYPE_signed_certificate_timestamp), bytes: 2)
            + TimestampList.sized(TimestampList.tls(timestamps))
        try require(SSL_CTX_use_serverinfo_ex(raw, UInt32(SSL_SERVERINFOV2), entry, entry.count) == 1)
    }
}

/// The certificates that an origin served, and the path built from them.
struct ServedChain: Sendable {
    var served: [CertificateFacts]
    var path: [CertificateFacts]
    var anchor: TrustAnchor
    var faults: [PathFault] = []
    var otherPaths: [CertificatePath] = []
    /// True if a certificate in a path has name constraints.
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
    /// the same reason no purpose is set. If that path is not the only possible one, or fails, all paths are searched.
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
        let built = X509_STORE_CTX_get0_chain(context)
        let chain = (0..<max(0, built.map { ossl_certificates_count($0) } ?? 0)).compactMap {
            ossl_certificate_at(built, $0).map { Certificate(sharing: $0) }
        }
        let code = X509_STORE_CTX_get_error(context)
        var paths = isValid ? [chain] : []
        if !isValid || PathSearch.mayBranch(chain, served: certificates, context: context) {
            paths = PathSearch(certificates, context: context).paths
            if isValid, paths.isEmpty { paths.insert(chain, at: 0) }
        }
        isConstrained = (paths.isEmpty ? [chain] : paths).contains { $0.contains(where: \.hasNameConstraints) }
        let found = paths.map { path in
            let facts = path.map { Self.facts(of: $0, among: certificates, served) }
            let isSystem = facts.last.map { systemRoots.contains($0.sha256) } == true
            return CertificatePath(facts, anchor: isSystem ? .system : .user, faults: PathFault.all(in: path))
        }
        if let first = found.first {
            (path, anchor, faults) = (first.certificates, first.anchor, first.faults)
            otherPaths = Array(found.dropFirst())
        } else {
            path = chain.map { Self.facts(of: $0, among: certificates, served) }
            anchor = Self.anchor(for: code)
        }
        ErrorQueue.clear()
    }

    /// The facts exist already, unless the certificate is an anchor from the store.
    private static func facts(
        of certificate: Certificate, among served: [Certificate], _ facts: [CertificateFacts]
    ) -> CertificateFacts {
        if let known = served.firstIndex(where: { $0.raw == certificate.raw }) { return facts[known] }
        var others = CertificateNames()
        return CertificateFacts(of: certificate.raw, unkept: &others)
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
            for place in shown.otherPaths.indices { shown.otherPaths[place].certificates[0].show(name) }
        }
        return shown
    }

    /// Approximate size in memory.
    var bytes: Int {
        (served + path + otherPaths.flatMap(\.certificates)).reduce(unkept.bytes) { $0 + $1.bytes }
    }

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
