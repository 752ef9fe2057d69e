internal import ATSPolicy
internal import COpenSSL
import Text

extension CertificateFacts {
    /// Reads a certificate. Fields that cannot be read keep their defaults.
    ///
    /// - Parameter unkept: collects the names beyond the size limits.
    init(of certificate: OpaquePointer, unkept: inout CertificateNames) {
        self.init()
        subject = Self.text(of: X509_get_subject_name(certificate)).cut(toBytes: Self.subjectBytes)
        issuer = Self.text(of: X509_get_issuer_name(certificate)).cut(toBytes: Self.subjectBytes)
        commonName = Self.commonName(of: X509_get_subject_name(certificate))?.cut(toBytes: Self.commonNameBytes)
        serial = Self.serial(of: certificate).cut(toBytes: Self.serialDigits)
        readKey(of: certificate)
        readSignature(of: certificate)
        notBefore = Self.seconds(X509_get0_notBefore(certificate)) ?? 0
        notAfter = Self.seconds(X509_get0_notAfter(certificate)) ?? 0
        sha256 = hexadecimal(TLSEngine.sha256(encoded { i2d_X509(certificate, $0) }))
        readNames(of: certificate, unkept: &unkept)
        let flags = X509_get_extension_flags(certificate)
        isCA = flags & UInt32(EXFLAG_CA) != 0
        isSelfIssued = flags & UInt32(EXFLAG_SI) != 0
        if flags & UInt32(EXFLAG_XKUSAGE) != 0 {
            let serverUses = UInt32(XKU_SSL_SERVER | XKU_ANYEKU)
            allowsServerAuth = X509_get_extended_key_usage(certificate) & serverUses != 0
        }
    }

    private mutating func readKey(of certificate: OpaquePointer) {
        let publicKey = encoded { i2d_X509_PUBKEY(X509_get_X509_PUBKEY(certificate), $0) }
        spkiSHA256 = Self.base64(TLSEngine.sha256(publicKey))
        guard let key = X509_get0_pubkey(certificate) else { return }
        keyBits = Int(EVP_PKEY_get_bits(key))
        keyType =
            switch EVP_PKEY_get_base_id(key) {
            case EVP_PKEY_RSA, EVP_PKEY_RSA_PSS: .rsa
            case EVP_PKEY_EC: .ec
            case EVP_PKEY_ED25519: .ed25519
            case EVP_PKEY_ED448: .ed448
            case EVP_PKEY_DSA: .dsa
            default: .other
            }
    }

    private mutating func readSignature(of certificate: OpaquePointer) {
        if let name = OBJ_nid2ln(X509_get_signature_nid(certificate)) { signature = String(cString: name) }
        var digest: Int32 = 0
        guard X509_get_signature_info(certificate, &digest, nil, nil, nil) == 1, digest != NID_undef,
            let name = OBJ_nid2sn(digest), let method = EVP_get_digestbyname(name)
        else { return }
        signatureHashBits = Int(EVP_MD_get_size(method)) * 8
    }

    private mutating func readNames(of certificate: OpaquePointer, unkept: inout CertificateNames) {
        var room = Self.nameBytesKept
        AlternativeNames.forEach(of: certificate) { kind, value in
            let isDNS = kind == .dns
            let text = isDNS ? String(decoding: value, as: UTF8.self) : IPAddress(bytes: Array(value))?.description
            guard let text else { return }
            if dnsNames.count + ipAddresses.count < Self.namesKept, text.bytesInJSON <= room {
                room -= text.bytesInJSON
                if isDNS { dnsNames.append(text) } else { ipAddresses.append(text) }
            } else {
                unkept.add(text)
            }
        }
        unkeptNames = unkept.count > 0 ? unkept.count : nil
    }

    private static func text(of name: OpaquePointer?) -> String {
        guard let name, let target = MemoryBIO() else { return "" }
        ossl_print_name(target.raw, name)
        return target.text
    }

    private static func commonName(of name: OpaquePointer?) -> String? {
        let index = X509_NAME_get_index_by_NID(name, NID_commonName, -1)
        guard index >= 0, let value = X509_NAME_ENTRY_get_data(X509_NAME_get_entry(name, index)) else { return nil }
        var start: UnsafeMutablePointer<UInt8>?
        let length = ASN1_STRING_to_UTF8(&start, value)
        guard let start, length >= 0 else { return nil }
        defer { ossl_free(start) }
        return String(decoding: UnsafeBufferPointer(start: start, count: Int(length)), as: UTF8.self)
    }

    private static func serial(of certificate: OpaquePointer) -> String {
        guard let number = ASN1_INTEGER_to_BN(X509_get0_serialNumber(certificate), nil) else { return "" }
        defer { BN_free(number) }
        guard let text = BN_bn2hex(number) else { return "" }
        defer { ossl_free(text) }
        return String(cString: text).lowercased()
    }

    /// Seconds since 1970-01-01 UTC.
    static func seconds(_ time: UnsafePointer<ASN1_TIME>?) -> Int64? {
        guard let time, let epoch = ASN1_TIME_set(nil, 0) else { return nil }
        defer { ASN1_TIME_free(epoch) }
        var days: Int32 = 0
        var seconds: Int32 = 0
        guard ASN1_TIME_diff(&days, &seconds, epoch, time) == 1 else { return nil }
        return Int64(days) * Day.seconds + Int64(seconds)
    }

    private static func base64(_ bytes: [UInt8]) -> String {
        let text = [UInt8](unsafeUninitializedCapacity: (bytes.count + 2) / 3 * 4 + 1) { room, count in
            count = Int(EVP_EncodeBlock(room.baseAddress, bytes, Int32(bytes.count)))
        }
        return String(decoding: text, as: UTF8.self)
    }
}
