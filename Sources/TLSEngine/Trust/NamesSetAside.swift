internal import COpenSSL

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
