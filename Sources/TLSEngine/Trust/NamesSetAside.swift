internal import COpenSSL

/// Certificates with more names than OpenSSL needs to see.
///
/// When it is first asked for a certificate's flags, OpenSSL makes three objects of each alternative name and keeps them
/// as long as the certificate: of the 5 ms of an event loop that 10,400 names took, 3. It needs them for name constraints
/// alone, and so does nobody else: ``AlternativeNames`` reads names where they stand.
extension Certificate {
    /// Names that take so many bytes are worth it: a few hundred.
    private static let manyNames: Int32 = 4_096

    /// The names of which OpenSSL would make many objects: the one such extension, where it is sound.
    private var names: OpaquePointer? {
        let place = X509_get_ext_by_NID(raw, NID_subject_alt_name, -1)
        guard place >= 0, let names = X509_get_ext(raw, place),
            ASN1_STRING_length(X509_EXTENSION_get_data(names)) >= Self.manyNames,
            AlternativeNames.arePlain(in: raw)
        else { return nil }
        return names
    }

    var hasManyNames: Bool { names != nil }

    /// Has OpenSSL read everything but the names, if it has not read the certificate before. Its signature and its hash
    /// are of the bytes that came, which OpenSSL keeps (d2i_X509(3), "encoding").
    ///
    /// Only for a certificate of which nobody knows on another thread.
    func setNamesAside() {
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

    /// One that OpenSSL has not read yet; nil without memory.
    var copy: Certificate? { Certificate(der: der) }
}
