public import ATSPolicy
internal import COpenSSL

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
        default: return OBJ_nid2sn(number).map { String(cString: $0) }
        }
    }

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
}
