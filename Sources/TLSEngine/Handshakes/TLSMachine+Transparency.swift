internal import ATSPolicy
internal import COpenSSL

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
