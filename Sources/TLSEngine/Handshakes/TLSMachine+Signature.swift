internal import ATSPolicy
internal import COpenSSL

extension TLSMachine {
    /// The origin's signature in the handshake; nil with static RSA. Source: SSL_get_peer_signature_nid(3).
    var peerSignature: HandshakeSignature? {
        var type: Int32 = 0
        guard SSL_get_peer_signature_type_nid(connection.raw, &type) == 1 else { return nil }
        var digest: Int32 = 0
        // SSL_get_peer_signature_nid is a macro. An EdDSA signature has no separate digest.
        let answer = SSL_ctrl(connection.raw, SSL_CTRL_GET_PEER_SIGNATURE_NID, 0, &digest)
        let hasDigest = answer == 1 && digest != NID_undef
        let hash = hasDigest ? EVP_get_digestbyname(OBJ_nid2sn(digest)) : nil
        return HandshakeSignature(Self.scheme(type), hashBits: hash.map { Int(EVP_MD_get_size($0)) * 8 })
    }

    private static func scheme(_ type: Int32) -> HandshakeSignature.Scheme {
        switch type {
        case NID_rsaEncryption: .rsaPKCS1
        case NID_rsassaPss: .rsaPSS
        case NID_X9_62_id_ecPublicKey: .ecdsa
        case NID_dsa: .dsa
        case NID_ED25519, NID_ED448: .eddsa
        default: .other
        }
    }
}

extension ContextHandle {
    /// Removes every signature algorithm with SHA-1 from the hello. Source: SSL_CTX_set1_sigalgs_list(3).
    func refuseSHA1Signatures() throws(TLSSetupError) {
        let hashes = ["SHA256", "SHA384", "SHA512"]
        let pairs = ["ECDSA", "RSA-PSS", "RSA"].flatMap { scheme in hashes.map { "\(scheme)+\($0)" } }
        try setSignatures((pairs + ["ed25519", "ed448"]).joined(separator: ":"))
    }

    /// - Parameter list: in the format of SSL_CTX_set1_sigalgs_list(3).
    func setSignatures(_ list: String) throws(TLSSetupError) {
        var text = list.utf8CString
        let result = text.withUnsafeMutableBufferPointer {
            // SSL_CTX_set1_sigalgs_list is a macro.
            SSL_CTX_ctrl(raw, SSL_CTRL_SET_SIGALGS_LIST, 0, $0.baseAddress)
        }
        try require(result == 1)
    }

    /// Behaves like a server without RFC 7627. Source: SSL_CTX_set_options(3).
    func refuseExtendedMasterSecret() {
        SSL_CTX_set_options(raw, Self.noExtendedMasterSecret)
    }

    /// SSL_OP_NO_EXTENDED_MASTER_SECRET, which is a macro with a shift.
    private static let noExtendedMasterSecret: UInt64 = 1 << 0
}
