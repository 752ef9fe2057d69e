internal import COpenSSL

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
