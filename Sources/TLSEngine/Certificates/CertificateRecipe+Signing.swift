internal import COpenSSL
import Text

extension CertificateRecipe {
    /// Signs a certificate for `key`. Without an issuer, it is self-signed.
    func issued(by issuer: SigningIdentity?, key: PrivateKey) throws(CertificateError) -> SigningIdentity {
        ErrorQueue.clear()
        guard let raw = X509_new() else { throw .latest }
        let certificate = Certificate(owned: raw)
        try require(X509_set_version(raw, Int(X509_VERSION_3)))
        try setSerial(of: raw)
        try setTimes(of: raw)
        try setSubject(of: raw)
        let issuerRaw = issuer?.certificate.raw ?? raw
        try require(X509_set_issuer_name(raw, X509_get_subject_name(issuerRaw)))
        try require(X509_set_pubkey(raw, key.raw))
        try addExtensions(to: raw, issuer: issuerRaw)
        let signer = issuer?.key ?? key
        // Ed25519 has a built-in hash and accepts no digest (EVP_PKEY_ED25519(7)).
        let isPlain = EVP_PKEY_get_base_id(signer.raw) == EVP_PKEY_ED25519
        let method = isPlain ? nil : EVP_get_digestbyname(digest.rawValue)
        guard X509_sign(raw, signer.raw, method) > 0 else { throw .latest }
        if try embedTimestamps(in: raw, issuer: issuerRaw) {
            guard X509_sign(raw, signer.raw, method) > 0 else { throw .latest }
        }
        return SigningIdentity(certificate: certificate, key: key)
    }

    /// Sets 127 random bits: positive, and more than the 64 bits that CA/Browser Forum Baseline Requirements 7.1
    /// require.
    private func setSerial(of raw: OpaquePointer) throws(CertificateError) {
        var bytes = [UInt8](repeating: 0, count: 16)
        try require(RAND_bytes(&bytes, Int32(bytes.count)))
        bytes[0] = bytes[0] & 0x7F | 0x40
        guard let number = BN_bin2bn(bytes, Int32(bytes.count), nil) else { throw .latest }
        defer { BN_free(number) }
        guard BN_to_ASN1_INTEGER(number, X509_get_serialNumber(raw)) != nil else { throw .latest }
    }

    private func setTimes(of raw: OpaquePointer) throws(CertificateError) {
        guard ASN1_TIME_set(X509_getm_notBefore(raw), Int(notBefore)) != nil else { throw .time(notBefore) }
        guard ASN1_TIME_set(X509_getm_notAfter(raw), Int(notAfter)) != nil else { throw .time(notAfter) }
    }

    private func setSubject(of raw: OpaquePointer) throws(CertificateError) {
        guard let commonName else { return }
        let bytes = Array(commonName.utf8)
        let name = X509_get_subject_name(raw)
        try require(
            X509_NAME_add_entry_by_NID(name, NID_commonName, MBSTRING_UTF8, bytes, Int32(bytes.count), -1, 0))
    }

    /// Adds the extensions of RFC 5280 section 4.2.
    private func addExtensions(to raw: OpaquePointer, issuer: OpaquePointer) throws(CertificateError) {
        let limit = pathLength.map { ",pathlen:\($0)" } ?? ""
        try add(NID_basic_constraints, isCA ? "critical,CA:TRUE\(limit)" : "critical,CA:FALSE", to: raw, issuer)
        try add(NID_key_usage, keyUsage, to: raw, issuer)
        if let extendedKeyUsages {
            let value = extendedKeyUsages.map(\.rawValue).joined(separator: ",")
            try add(NID_ext_key_usage, value, to: raw, issuer)
        }
        if let permittedNames {
            let value = permittedNames.map { "permitted;DNS:\($0)" }.joined(separator: ",")
            try add(NID_name_constraints, "critical,\(value)", to: raw, issuer)
        }
        try add(NID_subject_key_identifier, "hash", to: raw, issuer)
        if issuer != raw { try add(NID_authority_key_identifier, "keyid", to: raw, issuer) }
        if includeSAN, !dnsNames.isEmpty || !ipAddresses.isEmpty { try addNames(to: raw) }
    }

    private var keyUsage: String {
        if isCA { return "critical,keyCertSign,cRLSign" }
        return if case .rsa = key { "critical,digitalSignature,keyEncipherment" } else { "critical,digitalSignature" }
    }

    /// Adds the names as values, not as configuration text, so that an odd host name cannot add a second name.
    private func addNames(to raw: OpaquePointer) throws(CertificateError) {
        guard let names = GENERAL_NAMES_new() else { throw .latest }
        defer { GENERAL_NAMES_free(names) }
        for dnsName in dnsNames {
            let bytes = Array(dnsName.utf8)
            try require(ossl_names_add(names, GEN_DNS, bytes, Int32(bytes.count)))
        }
        for literal in ipAddresses {
            guard let address = IPAddress(literal) else { throw .ipAddress(literal) }
            try require(ossl_names_add(names, GEN_IPADD, address.bytes, Int32(address.bytes.count)))
        }
        // Critical when the subject is empty (RFC 5280 section 4.2.1.6).
        let isCritical: Int32 = commonName == nil ? 1 : 0
        try require(X509_add1_ext_i2d(raw, NID_subject_alt_name, UnsafeMutableRawPointer(names), isCritical, 0))
    }

    private func add(
        _ kind: Int32, _ value: String, to raw: OpaquePointer, _ issuer: OpaquePointer
    ) throws(CertificateError) {
        try require(ossl_add_extension(raw, issuer, kind, value))
    }

    private func require(_ result: Int32) throws(CertificateError) {
        guard result == 1 else { throw .latest }
    }
}

extension CertificateError {
    /// The oldest error of OpenSSL's queue.
    static var latest: CertificateError { .library(ErrorQueue.drain().first ?? 0) }
}

extension PrivateKey {
    /// Makes a new key.
    convenience init(_ kind: CertificateRecipe.Key) throws(CertificateError) {
        ErrorQueue.clear()
        let raw =
            switch kind {
            case .rsa(let bits): ossl_generate_rsa(Int32(clamping: bits))
            case .ec(let curve): ossl_generate_ec(curve.rawValue)
            case .ed25519: ossl_generate_ed25519()
            }
        guard let raw else { throw .latest }
        self.init(owned: raw)
    }
}
