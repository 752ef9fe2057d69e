import ATSPolicy

/// Origins that break a handshake, require a client certificate, or redirect.
extension OriginSpecification {
    /// Origins whose certificates are fine.
    static let behaviours =
        [
            OriginSpecification(
                name: "stalls.lab.test", flaw: "Reads the ClientHello and sends nothing.", behaviour: .stalls,
                outcomes: .always(.timeout)),
            OriginSpecification(
                name: "noise.lab.test", flaw: "Answers a ClientHello with the greeting of an SSH server.",
                behaviour: .noise, outcomes: .always(.notTLS)),
        ] + alerts + [redirecting] + insisting

    /// Names from RFC 8446 section 6; for 86 from RFC 7507.
    private static let alerts = [
        alert(40, "handshake_failure"), alert(70, "protocol_version"), alert(71, "insufficient_security"),
        alert(80, "internal_error"), alert(86, "inappropriate_fallback"), alert(112, "unrecognized_name"),
        alert(116, "certificate_required"),
    ]

    private static func alert(_ number: UInt8, _ name: String) -> OriginSpecification {
        OriginSpecification(
            name: "alert\(number).lab.test", flaw: "Answers every ClientHello with the fatal alert \(name).",
            behaviour: .alert(number), outcomes: .always(.alert(number)))
    }

    /// Origins that require a client certificate. They report a missing one within the handshake up to TLS 1.2, and
    /// after it in TLS 1.3. Source: RFC 5246 section 7.4.6; RFC 8446 section 4.4.2.4.
    private static let insisting = [
        OriginSpecification(
            name: "client-cert.lab.test", flaw: "Rejects clients without a certificate after the handshake.",
            behaviour: .tls(Handshake(requiresClientCertificate: true)), outcomes: .always(.clientCertificate)),
        OriginSpecification(
            name: "client-cert12.lab.test", flaw: "Speaks TLS 1.2 and rejects clients without a certificate.",
            behaviour: .tls(Handshake(maximum: .tls12, requiresClientCertificate: true)),
            outcomes: .always(.clientCertificate)),
    ]

    /// Each hop is judged alone: the first is allowed, the second is not. Source: nscurl;
    /// docs/law/loaders.md#redirects.
    private static let redirecting = OriginSpecification(
        name: "redirect.lab.test", flaw: "Its / redirects to a cleartext URL, which is blocked like any other.",
        behaviour: .tls(Handshake()), redirect: "http://cleartext.lab.test/")
}
