public import ATSPolicy
internal import COpenSSL
import Text

/// One X.509 certificate.
// Unchecked: a C pointer is not Sendable. OpenSSL counts references atomically and fills its caches under a lock
// (openssl-threads(7)); no code here changes a certificate after it is signed.
public final class Certificate: @unchecked Sendable {
    let raw: OpaquePointer

    /// Takes ownership of the caller's reference.
    init(owned raw: OpaquePointer) {
        self.raw = raw
    }

    /// Adds a reference.
    init(sharing raw: OpaquePointer) {
        X509_up_ref(raw)
        self.raw = raw
    }

    deinit { X509_free(raw) }

    /// The first certificate in a PEM text; nil if there is none or it cannot be read.
    public convenience init?(pem: String) {
        let bytes = Array(pem.utf8)
        let raw = bytes.withUnsafeBytes { bytes -> OpaquePointer? in
            guard let source = MemoryBIO(reading: bytes) else { return nil }
            return PEM_read_bio_X509(source.raw, nil, { _, _, _, _ in 0 }, nil)
        }
        ErrorQueue.clear()
        guard let raw else { return nil }
        self.init(owned: raw)
    }

    /// True if subject and issuer are the same name.
    var isSelfIssued: Bool { X509_get_extension_flags(raw) & UInt32(EXFLAG_SI) != 0 }

    public var der: [UInt8] { encoded { i2d_X509(raw, $0) } }

    public var pem: String {
        guard let target = MemoryBIO() else { return "" }
        PEM_write_bio_X509(target.raw, raw)
        return target.text
    }

    /// The facts that rules and reports use.
    public var facts: CertificateFacts {
        defer { ErrorQueue.clear() }
        var unkept = CertificateNames()
        return CertificateFacts(of: raw, unkept: &unkept)
    }
}

/// Returns the output of one of OpenSSL's `i2d_` functions; empty if it fails.
func encoded(_ write: (UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>?) -> Int32) -> [UInt8] {
    let length = Int(write(nil))
    guard length > 0 else { return [] }
    return [UInt8](unsafeUninitializedCapacity: length) { room, count in
        var cursor = room.baseAddress
        count = max(0, Int(write(&cursor)))
    }
}

/// Returns the SHA-256 of some bytes.
func sha256(_ bytes: [UInt8]) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: Int(SHA256_DIGEST_LENGTH)) { room, count in
        SHA256(bytes, bytes.count, room.baseAddress)
        count = Int(SHA256_DIGEST_LENGTH)
    }
}

/// The DNS names and IP addresses of a certificate, parsed in place.
///
/// OpenSSL allocates and frees three objects per name. For a certificate of 30 KB with only short names, that was a
/// quarter of the 6 ms that an event loop spent on it. Source: RFC 5280 section 4.2.1.6; X.690 section 8.1.
enum AlternativeNames {
    enum Kind {
        case dns
        /// The 4 or 16 octets of the address.
        case address
    }

    /// Calls `body` for each name in order; never if the extension cannot be parsed.
    static func forEach(of certificate: OpaquePointer, _ body: (Kind, UnsafeBufferPointer<UInt8>) -> Void) {
        if let plain = plainNames(of: certificate) {
            var cursor = plain
            while let (tag, value) = cursor.next() {
                switch tag {
                case dnsTag: body(.dns, value)
                case addressTag: body(.address, value)
                default: continue
                }
            }
        } else {
            forEachByOpenSSL(of: certificate, body)
        }
    }

    /// True if the names are parsed without OpenSSL.
    static func arePlain(in certificate: OpaquePointer) -> Bool { plainNames(of: certificate) != nil }

    /// The content of the extension if it occurs once, is in the usual DER encoding and has only plain names. nil
    /// leaves parsing and rejecting to OpenSSL.
    private static func plainNames(of certificate: OpaquePointer) -> DERCursor? {
        let place = X509_get_ext_by_NID(certificate, NID_subject_alt_name, -1)
        guard place >= 0, X509_get_ext_by_NID(certificate, NID_subject_alt_name, place) < 0,
            let value = X509_EXTENSION_get_data(X509_get_ext(certificate, place)),
            let start = ASN1_STRING_get0_data(value)
        else { return nil }
        var whole = DERCursor(UnsafeBufferPointer(start: start, count: Int(ASN1_STRING_length(value))))
        guard let (tag, list) = whole.next(), tag == sequenceTag, whole.isAtEnd else { return nil }
        let names = DERCursor(list)
        var cursor = names
        while !cursor.isAtEnd {
            guard let (tag, _) = cursor.next(), plainTags.contains(tag) else { return nil }
        }
        return names
    }

    private static func forEachByOpenSSL(
        of certificate: OpaquePointer, _ body: (Kind, UnsafeBufferPointer<UInt8>) -> Void
    ) {
        guard let names = ossl_names_of(certificate) else { return }
        defer { GENERAL_NAMES_free(names) }
        for index in 0..<max(0, ossl_names_count(names)) {
            var kind: Int32 = 0
            var length: Int32 = 0
            guard let start = ossl_name_at(names, index, &kind, &length) else { continue }
            body(kind == GEN_DNS ? .dns : .address, UnsafeBufferPointer(start: start, count: Int(length)))
        }
    }

    private static let sequenceTag: UInt8 = 0x30
    private static let dnsTag: UInt8 = 0x82
    private static let addressTag: UInt8 = 0x87
    /// Mail addresses, DNS names, URIs and addresses; their content needs no further parsing.
    private static let plainTags: Set<UInt8> = [0x81, dnsTag, 0x86, addressTag]
}

/// Consecutive DER elements with one-byte tags and contents below 64 KiB.
struct DERCursor {
    private var rest: UnsafeBufferPointer<UInt8>

    init(_ bytes: UnsafeBufferPointer<UInt8>) { rest = bytes }

    var isAtEnd: Bool { rest.isEmpty }

    /// Returns the next element; nil at the end and for other encodings. A length must use as few bytes as possible
    /// (X.690 section 10.1).
    mutating func next() -> (tag: UInt8, content: UnsafeBufferPointer<UInt8>)? {
        guard rest.count >= 2, rest[0] & 0x1F != 0x1F else { return nil }
        let tag = rest[0]
        var length = Int(rest[1])
        var head = 2
        if length >= 0x80 {
            let digits = length & 0x7F
            guard 1...2 ~= digits, rest.count >= 2 + digits else { return nil }
            length = rest[2..<2 + digits].reduce(0) { $0 << 8 | Int($1) }
            guard length >= (digits == 1 ? 0x80 : 0x100) else { return nil }
            head += digits
        }
        guard rest.count - head >= length else { return nil }
        let content = UnsafeBufferPointer(rebasing: rest[head..<head + length])
        rest = UnsafeBufferPointer(rebasing: rest[(head + length)...])
        return (tag, content)
    }
}

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
        sha256 = TLSEngine.sha256(encoded { i2d_X509(certificate, $0) }).hexadecimal
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

/// Hides long name lists from OpenSSL.
///
/// When a certificate's flags are first read, OpenSSL creates three objects per alternative name and keeps them with
/// the certificate. For 10,400 names that was 3 of the 5 ms that the event loop spent. OpenSSL needs them for name
/// constraints only, and ``AlternativeNames`` parses the names in place.
extension Certificate {
    /// The smallest extension worth hiding, in bytes: a few hundred names.
    private static let manyNames: Int32 = 4_096

    /// The extension with alternative names, if it is long, valid and the only one.
    private var names: OpaquePointer? {
        let place = X509_get_ext_by_NID(raw, NID_subject_alt_name, -1)
        guard place >= 0, let names = X509_get_ext(raw, place),
            ASN1_STRING_length(X509_EXTENSION_get_data(names)) >= Self.manyNames,
            AlternativeNames.arePlain(in: raw)
        else { return nil }
        return names
    }

    var hasManyNames: Bool { names != nil }

    /// Makes OpenSSL parse the certificate without its names, unless it was parsed before. The signature and the hash
    /// do not change, because OpenSSL keeps the original bytes (d2i_X509(3), "encoding").
    ///
    /// Only for a certificate that no other thread uses.
    func parseWithoutNames() {
        guard let names, let whole = ASN1_STRING_dup(X509_EXTENSION_get_data(names)) else { return }
        defer { ASN1_STRING_free(whole) }
        guard let none = ASN1_STRING_type_new(V_ASN1_OCTET_STRING) else { return }
        defer { ASN1_STRING_free(none) }
        guard ASN1_STRING_set(none, Self.emptySequence, Int32(Self.emptySequence.count)) == 1,
            X509_EXTENSION_set_data(names, none) == 1
        else { return }
        X509_get_extension_flags(raw)
        X509_EXTENSION_set_data(names, whole)
    }

    private static let emptySequence: [UInt8] = [0x30, 0]

    /// A copy that OpenSSL has not parsed yet; nil if memory runs out.
    var copy: Certificate? { Certificate(der: der) }
}
