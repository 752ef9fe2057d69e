public import ATSPolicy
internal import COpenSSL
import Text

/// The properties of a certificate to make, including flawed ones. Lab origins use them.
public struct CertificateRecipe: Sendable {
    public enum Curve: String, Sendable, Hashable, CaseIterable {
        /// Missing in some builds of OpenSSL, like P-224.
        case p192 = "P-192"
        case p224 = "P-224"
        case p256 = "P-256"
        case p384 = "P-384"
        case p521 = "P-521"
    }

    public enum Key: Sendable, Hashable {
        case rsa(bits: Int)
        case ec(curve: Curve)
        case ed25519
    }

    /// Raw values are OpenSSL's names.
    public enum Digest: String, Sendable, Hashable, CaseIterable {
        case md5 = "MD5"
        case sha1 = "SHA1"
        case sha224 = "SHA224"
        case sha256 = "SHA256"
        case sha384 = "SHA384"
        case sha512 = "SHA512"
    }

    /// Raw values are OpenSSL's names (x509v3_config(5)).
    public enum ExtendedKeyUsage: String, Sendable, Hashable, CaseIterable {
        case serverAuth, clientAuth, codeSigning, emailProtection
        case ocspSigning = "OCSPSigning"
        case any = "anyExtendedKeyUsage"
    }

    /// Left out of the subject when nil.
    public var commonName: String?
    public var dnsNames: [String]
    /// Literals, IPv6 without brackets.
    public var ipAddresses: [String]
    public var key: Key
    /// Of the signature; unused if the signer's key is Ed25519.
    public var digest = Digest.sha256
    /// Seconds since 1970-01-01 UTC.
    public var notBefore: Int64
    public var notAfter: Int64
    public var isCA: Bool
    /// The maximum number of CAs allowed below this one; nil for any number.
    public var pathLength: Int?
    /// Certificates below this CA must have names under these; nil for any.
    public var permittedNames: [String]?
    /// Certificates below this CA must not have names under these; nil for none.
    public var excludedNames: [String]?
    /// False leaves the basic constraints out, as old roots do.
    public var hasBasicConstraints = true
    /// nil writes no extension.
    public var extendedKeyUsages: [ExtendedKeyUsage]?
    /// True if names and addresses are written.
    public var includeSAN = true
    /// The number of signed certificate timestamps of nonexistent logs: they count, but never verify. At most 255.
    public var madeUpTimestamps = 0
    /// The logs whose timestamps are embedded.
    public var logs: [LogIdentity] = []
    /// The time of their timestamps, in seconds since 1970-01-01 UTC; nil for ``notBefore``.
    public var loggedAt: Int64?

    public init(
        commonName: String?, dnsNames: [String] = [], ipAddresses: [String] = [], key: Key = .ec(curve: .p256),
        notBefore: Int64, notAfter: Int64, isCA: Bool = false, extendedKeyUsages: [ExtendedKeyUsage]? = nil
    ) {
        self.commonName = commonName
        self.dnsNames = dnsNames
        self.ipAddresses = ipAddresses
        self.key = key
        self.notBefore = notBefore
        self.notAfter = notAfter
        self.isCA = isCA
        self.extendedKeyUsages = extendedKeyUsages
    }

    /// Returns a copy with changes.
    public func with(_ change: (inout CertificateRecipe) -> Void) -> CertificateRecipe {
        var recipe = self
        change(&recipe)
        return recipe
    }

    /// Makes a new key and signs a certificate for it.
    ///
    /// - Parameter issuer: nil for a self-signed certificate.
    public func issued(by issuer: SigningIdentity?) throws(CertificateError) -> SigningIdentity {
        try issued(by: issuer, key: PrivateKey(key))
    }

    /// Signs a certificate for the key of another identity, which saves generating an RSA key. ``key`` should describe
    /// that key.
    public func issued(
        by issuer: SigningIdentity?, sharingKeyOf other: SigningIdentity
    ) throws(CertificateError) -> SigningIdentity {
        try issued(by: issuer, key: other.key)
    }
}

/// The reason why a certificate could not be created.
public enum CertificateError: Error, Sendable, Hashable {
    /// An entry of `ipAddresses` is not an IP address.
    case ipAddress(String)
    /// A time before the year 0 or after the year 9999.
    case time(Int64)
    /// The host is empty or longer than 255 bytes.
    case host(String)
    /// OpenSSL failed, with its packed error code.
    case library(UInt64)
}

extension CertificateError: CustomStringConvertible {
    /// The problem, without a full stop.
    public var description: String {
        switch self {
        case .ipAddress(let text): "\(text.printable) is not an IP address"
        case .time: "a date is before the year 0 or after the year 9999"
        case .host(let host): host.isEmpty ? "the host name is empty" : "the host name is too long: \(host.printable)"
        case .library(let code): "OpenSSL error \(ErrorQueue.words(code))"
        }
    }
}

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
        if hasBasicConstraints {
            try add(NID_basic_constraints, isCA ? "critical,CA:TRUE\(limit)" : "critical,CA:FALSE", to: raw, issuer)
        }
        try add(NID_key_usage, keyUsage, to: raw, issuer)
        if let extendedKeyUsages {
            let value = extendedKeyUsages.map(\.rawValue).joined(separator: ",")
            try add(NID_ext_key_usage, value, to: raw, issuer)
        }
        let constraints =
            (permittedNames ?? []).map { "permitted;DNS:\($0)" } + (excludedNames ?? []).map { "excluded;DNS:\($0)" }
        if !constraints.isEmpty {
            try add(NID_name_constraints, "critical,\(constraints.joined(separator: ","))", to: raw, issuer)
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

extension CertificateRecipe {
    /// Adds the extension with all timestamps to a certificate that was signed without it. Logs sign the certificate
    /// without their timestamps. Source: RFC 6962 sections 3.2 and 3.3.
    ///
    /// - Returns: true if timestamps were added, so that the certificate must be signed again.
    func embedTimestamps(in raw: OpaquePointer, issuer: OpaquePointer) throws(CertificateError) -> Bool {
        let count = min(max(0, madeUpTimestamps), Self.mostTimestamps)
        var timestamps = (0..<count).map { timestamp(of: UInt8($0)) }
        if !logs.isEmpty {
            guard let entry = LogEntry(precertificateOf: raw, issuer: issuer) else { throw .latest }
            for log in logs { timestamps.append(try log.timestamp(on: entry, at: loggedAt ?? notBefore)) }
        }
        if timestamps.isEmpty { return false }
        let value = "DER:" + TimestampList.der(timestamps).hexadecimal
        guard ossl_add_extension(raw, issuer, NID_ct_precert_scts, value) == 1 else { throw .latest }
        return true
    }

    /// A well-formed SignedCertificateTimestamp with a signature that proves nothing. Source: RFC 6962 section 3.2.
    private func timestamp(of log: UInt8) -> [UInt8] {
        TimestampList.timestamp(
            log: [UInt8](repeating: log, count: 32), milliseconds: UInt64(clamping: notBefore) &* 1_000,
            signature: [UInt8](repeating: log, count: 70))
    }

    /// Keeps the list well below 65 535 bytes, the limit of its length fields.
    private static let mostTimestamps = 255
}

/// The properties of an OCSP response to make for a leaf; lab origins staple them. Source: RFC 6960 section 4.2.
public struct StapleRecipe: Sendable {
    /// ``StapledAnswer/Status/invalid`` is written as unknown.
    public var status: StapledAnswer.Status
    /// Seconds since 1970-01-01 UTC.
    public var thisUpdate: Int64
    public var nextUpdate: Int64?
    /// Signed certificate timestamps, as ``LogIdentity`` makes them.
    public var timestamps: [[UInt8]] = []

    public init(_ status: StapledAnswer.Status, thisUpdate: Int64, nextUpdate: Int64?) {
        self.status = status
        self.thisUpdate = thisUpdate
        self.nextUpdate = nextUpdate
    }

    /// Signs a response.
    ///
    /// - Parameters:
    ///   - issuer: of the leaf.
    ///   - responder: signs instead of the issuer.
    /// - Returns: DER.
    public func issued(
        for leaf: Certificate, by issuer: SigningIdentity, signedBy responder: SigningIdentity? = nil
    ) throws(CertificateError) -> [UInt8] {
        ErrorQueue.clear()
        guard let basic = OCSP_BASICRESP_new() else { throw .latest }
        defer { OCSP_BASICRESP_free(basic) }
        try addAnswer(to: basic, leaf, issuer.certificate)
        let signer = responder ?? issuer
        guard OCSP_basic_sign(basic, signer.certificate.raw, signer.key.raw, EVP_sha256(), nil, 0) == 1,
            let response = OCSP_response_create(OCSP_RESPONSE_STATUS_SUCCESSFUL, basic)
        else { throw .latest }
        defer { OCSP_RESPONSE_free(response) }
        return encoded { i2d_OCSP_RESPONSE(response, $0) }
    }

    private func addAnswer(
        to basic: OpaquePointer, _ leaf: Certificate, _ issuer: Certificate
    ) throws(CertificateError) {
        guard let id = OCSP_cert_to_id(EVP_sha1(), leaf.raw, issuer.raw) else { throw .latest }
        defer { OCSP_CERTID_free(id) }
        var (number, reason, revocation) = (V_OCSP_CERTSTATUS_UNKNOWN, Int32(-1), Int64(0))
        switch status {
        case .good: number = V_OCSP_CERTSTATUS_GOOD
        case .revoked(let time, let code):
            (number, reason, revocation) = (V_OCSP_CERTSTATUS_REVOKED, code.map { Int32(clamping: $0) } ?? -1, time)
        case .unknown, .invalid: break
        }
        let times = [revocation, thisUpdate, nextUpdate ?? 0].map { ASN1_GENERALIZEDTIME_set(nil, Int($0)) }
        defer { for time in times { ASN1_GENERALIZEDTIME_free(time) } }
        guard
            let single = OCSP_basic_add1_status(
                basic, id, number, reason, times[0], times[1], nextUpdate == nil ? nil : times[2])
        else { throw .latest }
        if !timestamps.isEmpty { try addTimestamps(to: single) }
    }

    /// Source: RFC 6962 section 3.3.
    private func addTimestamps(to single: OpaquePointer) throws(CertificateError) {
        guard let value = ASN1_OCTET_STRING_new() else { throw .latest }
        defer { ASN1_OCTET_STRING_free(value) }
        let bytes = TimestampList.der(timestamps)
        guard ASN1_OCTET_STRING_set(value, bytes, Int32(bytes.count)) == 1,
            let attachment = X509_EXTENSION_create_by_NID(nil, NID_ct_cert_scts, 0, value)
        else { throw .latest }
        defer { X509_EXTENSION_free(attachment) }
        guard OCSP_SINGLERESP_add_ext(single, attachment, -1) == 1 else { throw .latest }
    }
}
